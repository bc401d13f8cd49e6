// One value of the settings with the control that suits it. A change is saved at once; what the engine does not accept
// stays as it was typed, with the reason beside it.

import { choice, freshId, line, toggle } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { modelPicker } from '../../shell/models.js';
import { t } from '../../text/index.js';
import { changeOf, entriesOf, labelOf, same, valueAt } from './schema.js';

const SAVED_SHOWN_MS = 2_000;

/**
 * @param {import('./schema.js').Field} field
 * @param {import('./index.js').Settings} settings
 */
export function fieldLine(field, settings) {
  const id = freshId('setting');
  const wrong = element('p', { class: 'wrong', id: `${id}-wrong`, role: 'alert' });
  const saved = element('span', { class: 'saved', role: 'status' });
  const reset = element('button', { type: 'button', class: 'icon-button reset', title: t('settings.reset'), 'aria-label': t('settings.reset.of', { name: field.label }), onclick: () => save(field.fallback, true) }, icon('undo-2'));
  const place = element('div', { class: 'line-value' });
  let shown;

  const save = async (value, again = false) => {
    const { ok, problem } = await settings.save(changeOf(field.path, value), field.path);
    wrong.textContent = problem;
    const control = place.querySelector('input, select, textarea');
    if (ok) control?.removeAttribute('aria-invalid');
    else control?.setAttribute('aria-invalid', 'true');
    if (!ok) return;
    saved.replaceChildren(icon('check'), element('span', { class: 'unseen' }, t('settings.saved')));
    setTimeout(() => saved.replaceChildren(), SAVED_SHOWN_MS);
    if (again) draw(true);
  };

  /** Draws the value anew, unless the person is writing in it. */
  const draw = (anyway = false) => {
    const value = valueAt(settings.config, field.path) ?? null;
    reset.hidden = same(value, field.fallback);
    if (!anyway && (same(value, shown) || place.contains(document.activeElement))) return;
    shown = structuredClone(value);
    place.replaceChildren(control(field, value, save, settings, { id, 'aria-describedby': `${id}-text ${id}-wrong` }));
  };
  draw(true);
  settings.drawn.add(draw);
  // Lists and tables need the width; they stand below their name.
  const wide = ['list', 'json', 'roles', 'choices'].includes(field.control);
  const parts = element('div', { class: 'line-parts' }, saved, reset, wide ? null : place);
  const words = (text) => element('span', { lang: field.foreign ? 'en' : null }, text);
  const node = line({ label: words(field.label), id, description: words(spoken(field.description)), control: parts, below: element('div', { class: 'line-below' }, wide ? place : null, wrong) });
  node.dataset.key = field.key;
  return node;
}

/** `code` in a description becomes code. @param {string} text */
function spoken(text) {
  const around = document.createDocumentFragment();
  text.split('`').forEach((part, index) => around.append(index % 2 ? element('code', {}, part) : part));
  return around;
}

/**
 * @param {import('./schema.js').Field} field
 * @param {any} value
 * @param {(value: any) => void} save
 * @param {import('./index.js').Settings} settings
 * @param {Record<string, any>} attributes
 * @returns {Node}
 */
function control({ control: kind, schema, unit, label, names = {} }, value, save, settings, attributes) {
  switch (kind) {
    case 'switch':
      return toggle(Boolean(value), save, attributes);
    case 'choice': {
      const none = value === null || schema.enum.includes(null);
      const options = schema.enum.filter((one) => one !== null).map((one) => ({ value: String(one), label: one === '' ? t('settings.empty') : names[one] ?? labelOf(String(one)) }));
      return choice(value ?? '', [...(none ? [{ value: '', label: t('settings.none') }] : []), ...options], save, attributes);
    }
    case 'integer':
    case 'number':
      return number(schema, unit, value, save, attributes);
    case 'model':
      return modelPicker({ value, known: settings.models?.known ?? [], none: Array.isArray(schema.type) ? t('settings.none') : undefined, id: attributes.id, changed: save });
    case 'list':
      return list(value ?? [], save, attributes);
    case 'choices':
      return choices(schema.items.enum, value ?? [], save, label);
    case 'roles':
      return byRole(schema, value ?? {}, save, label);
    case 'json':
      return json(value, save, attributes);
    default: {
      const nullable = Array.isArray(schema.type);
      const box = element('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', onchange: () => save(nullable && box.value === '' ? null : box.value), ...attributes });
      box.value = value ?? '';
      return box;
    }
  }
}

function number({ minimum, maximum, type }, unit, value, save, attributes) {
  const whole = type === 'integer';
  const box = element('input', {
    type: 'number', min: minimum ?? false, max: maximum ?? false, step: whole ? 1 : 'any', inputmode: whole ? 'numeric' : 'decimal',
    onchange: () => save(box.value === '' ? null : Number(box.value)), ...attributes,
  });
  box.value = value ?? '';
  return element('span', { class: 'row' }, box, unit ? element('span', { class: 'unit' }, unit) : null);
}

/** One entry per line: lists are pasted as often as typed. */
function list(value, save, attributes) {
  const box = element('textarea', { rows: Math.min(Math.max(value.length + 1, 2), 8), spellcheck: 'false', placeholder: t('settings.perline'), onchange: () => save(entriesOf(box.value)), ...attributes });
  box.value = value.join('\n');
  return box;
}

function choices(all, value, save, label) {
  const boxes = all.map((one) => {
    const box = element('input', { type: 'checkbox', value: one, onchange: () => save(all.filter((_, index) => inputs[index].checked)) });
    box.checked = value.includes(one);
    return element('label', { class: 'tick' }, box, labelOf(one));
  });
  const inputs = boxes.map((node) => /** @type {HTMLInputElement} */ (node.querySelector('input')));
  return element('fieldset', { class: 'ticks' }, element('legend', { class: 'unseen' }, label), ...boxes);
}

/** A value per role; an empty one is taken out. */
function byRole(schema, value, save, label) {
  const inner = schema.additionalProperties;
  return element('div', { class: 'by-role' }, ...schema.propertyNames.enum.map((role) => {
    const id = freshId('role');
    const set = (one) => save({ [role]: one });
    const name = element('label', { for: id }, element('span', { class: 'unseen' }, `${label}: `), labelOf(role));
    let box;
    if (inner.enum) box = choice(value[role] ?? '', [{ value: '', label: t('settings.usual') }, ...inner.enum.map((one) => ({ value: one, label: labelOf(one) }))], (one) => set(one || null), { id });
    else if (inner.type === 'array') box = list(value[role] ?? [], (one) => set(one.length ? one : null), { id });
    else box = number(inner, '', value[role] ?? null, set, { id });
    return element('div', { class: 'role' }, name, box);
  }));
}

/** What has no control of its own yet is shown as it is stored. */
function json(value, save, attributes) {
  const box = element('textarea', { rows: 4, class: 'code', spellcheck: 'false', ...attributes, onchange: () => {
    try {
      const given = JSON.parse(box.value || 'null');
      box.setCustomValidity('');
      // A name that was taken away is told as such: the engine merges what it gets.
      const gone = Object.fromEntries(Object.keys(value ?? {}).filter((name) => !(name in (given ?? {}))).map((name) => [name, null]));
      save(Array.isArray(given) || given === null ? given : { ...gone, ...given });
    } catch {
      box.setCustomValidity(t('settings.json'));
      box.reportValidity();
    }
  } });
  box.value = JSON.stringify(value, null, 2);
  return box;
}
