// A choice of where a memory is kept: the scopes there are, or a project with a new name.

import { element } from '../../shell/dom.js';
import { choice, freshId } from '../../shell/controls.js';
import { t } from '../../text/index.js';
import { scopeName } from './words.js';

const NEW = '\u0000new';
const NAME_CHARS_MAX = 40;

/**
 * @param {any[]} scopes
 * @param {string} value
 * @returns {{ node: HTMLElement, value: () => string }} `value` is empty while a new name is not written yet
 */
export function scopePicker(scopes, value) {
  const id = freshId('scope');
  const known = scopes.some(({ name }) => name === value) ? scopes : [...scopes, { name: value, label: value }];
  const field = element('input', { type: 'text', maxlength: NAME_CHARS_MAX, hidden: true, autocomplete: 'off', 'aria-label': t('memory.scope.name') });
  const list = choice(value, [...known.map(({ name }) => ({ value: name, label: scopeName(known, name) })), { value: NEW, label: t('memory.scope.new') }], (chosen) => {
    field.hidden = chosen !== NEW;
    if (chosen === NEW) field.focus();
  }, { id });
  const node = element('div', { class: 'scope-picker' }, element('label', { for: id }, t('memory.scope')), list, field);
  return { node, value: () => (list.value === NEW ? field.value.trim() : list.value) };
}
