// Controls that more than one screen uses. Each has a name, works by keyboard, and says what came of a change beside it.

import { t } from '../text/index.js';
import { element } from './dom.js';
import { icon } from './icons.js';

let count = 0;
/** A fresh id, to tie a label to its control. @param {string} start */
export const freshId = (start) => `${start}-${(count += 1)}`;

/**
 * A switch with the state it has.
 * @param {boolean} on
 * @param {(on: boolean) => void} changed
 * @param {Record<string, any>} [attributes]
 */
export function toggle(on, changed, attributes = {}) {
  const node = element('input', { type: 'checkbox', role: 'switch', class: 'toggle', onchange: () => changed(node.checked), ...attributes });
  node.checked = on;
  return node;
}

/**
 * A list to choose from: values with labels, or groups of them.
 * @param {string} value
 * @param {{ value: string, label: string, group?: string }[]} options
 * @param {(value: string) => void} changed
 * @param {Record<string, any>} [attributes]
 */
export function choice(value, options, changed, attributes = {}) {
  const node = element('select', { onchange: () => changed(node.value), ...attributes });
  /** @type {Map<string, HTMLOptGroupElement>} */
  const groups = new Map();
  for (const { value: one, label, group } of options) {
    const option = element('option', { value: one, selected: one === value }, label);
    if (!group) node.append(option);
    else {
      if (!groups.has(group)) {
        groups.set(group, element('optgroup', { label: group }));
        node.append(/** @type {Node} */ (groups.get(group)));
      }
      groups.get(group)?.append(option);
    }
  }
  node.value = value;
  return node;
}

/**
 * One line of a card: what it is, what it means, and its control.
 * @param {{ label: Node | string, description?: Node | string | null, control: Node | null, id?: string, below?: Node | null }} parts
 */
export function line({ label, description = null, control, id, below = null }) {
  const name = id ? element('label', { for: id, class: 'line-label' }, label) : element('div', { class: 'line-label' }, label);
  const words = description ? element('p', { class: 'line-text', id: id ? `${id}-text` : false }, description) : null;
  return element('div', { class: 'line' }, element('div', { class: 'line-words' }, name, words), control && element('div', { class: 'line-control' }, control), below);
}

/**
 * A card with a heading.
 * @param {Node | string | null} title
 * @param {...(Node | string | null | false)} children
 */
export function card(title, ...children) {
  const id = freshId('card');
  return element(
    'section',
    { class: 'sheet', 'aria-labelledby': title ? id : false },
    title && element('h2', { id }, title),
    element('div', { class: 'sheet-body' }, ...children),
  );
}

/** A few words with a colour: `good`, `warn`, `bad` or `quiet`. @param {string} text @param {string} [kind] */
export const pill = (text, kind = 'quiet') => element('span', { class: `pill ${kind}` }, text);

/** What is shown where there is nothing. @param {string} picture @param {string} text @param {...Node} more */
export const nothing = (picture, text, ...more) => element('div', { class: 'nothing' }, icon(picture), element('p', {}, text), ...more);

/** A place that says how something went; it is read out. */
export function outcome() {
  const node = element('p', { class: 'outcome', role: 'status' });
  /** @param {'' | 'busy' | 'good' | 'bad'} kind @param {string} [text] */
  const say = (kind, text = '') => {
    node.dataset.kind = kind;
    const picture = { busy: 'loader-circle', good: 'circle-check', bad: 'circle-alert' }[kind];
    node.replaceChildren(...(picture ? [icon(picture), element('span', {}, text)] : []));
  };
  say('');
  return { node, say };
}

/**
 * Runs `job`, while `button` rests, and says how it went in `say`.
 * @template T
 * @param {HTMLButtonElement} button
 * @param {ReturnType<typeof outcome>['say']} say
 * @param {string} meanwhile
 * @param {() => Promise<T>} job
 */
export async function during(button, say, meanwhile, job) {
  button.disabled = true;
  say('busy', meanwhile);
  try {
    return await job();
  } catch (error) {
    say('bad', error instanceof Error ? error.message : t('shell.lost'));
    return undefined;
  } finally {
    button.disabled = false;
  }
}
