// What a call was given and what came of it, the way a person reads it: fields with names, lists, text with its lines.
// What is nested deeper than that is shown as it travels. Where the person decides by it, nothing is left out.

import { element, shown, spoken } from '../shell/dom.js';
import { t } from '../text/index.js';
import { plainly } from './plain.js';

const FIELDS_MAX = 30;
const ROWS_MAX = 20;
const LINE_CHARS_MAX = 160;

const isPlain = (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
const isFields = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * A part of a card with a heading.
 * @param {string} label
 * @param {unknown} value
 */
export function part(label, value) {
  const body = readable(value);
  return [element('h4', {}, label), element('div', { class: 'value', tabindex: 0, role: 'region', 'aria-label': label }, body)];
}

/**
 * @param {unknown} value
 * @param {boolean} [whole] every part of it, however long
 * @returns {Node}
 */
export function readable(value, whole = false) {
  if (typeof value === 'string') return element('p', { class: 'as-written' }, text(value, whole));
  if (isPlain(value)) return element('p', {}, plain(value));
  if (Array.isArray(value)) return whole && !value.every(isPlain) ? asItTravels(value, whole) : rows(value, whole);
  const entries = Object.entries(value ?? {});
  if (entries.length === 0) return element('p', { class: 'quiet' }, t('chat.nothing'));
  if (entries.length > FIELDS_MAX && !whole) return asItTravels(value, whole);
  return element('dl', {}, ...entries.flatMap(([name, inner]) => [element('dt', {}, plainly(spoken(name))), element('dd', {}, inside(inner, whole))]));
}

/** A value inside a field. @param {unknown} value @param {boolean} whole */
function inside(value, whole) {
  if (typeof value === 'string') return element('span', { class: 'as-written' }, text(value, whole));
  if (isPlain(value)) return plain(value);
  if (Array.isArray(value) && (value.every(isPlain) || (!whole && value.every(isFields)))) return rows(value, whole);
  return asItTravels(value, whole);
}

/** @param {unknown[]} list @param {boolean} whole */
function rows(list, whole) {
  if (list.length === 0) return element('p', { class: 'quiet' }, t('chat.nothing'));
  const row = (value) => element('li', {}, isPlain(value) ? plain(value) : isFields(value) ? summary(value) : asItTravels(value, whole));
  const most = whole ? list.length : ROWS_MAX;
  const more = list.length > most ? element('li', { class: 'quiet' }, t('chat.more', { count: list.length - most })) : null;
  return element('ol', {}, ...list.slice(0, most).map(row), more);
}

/** One row of a list of things: its name, and the rest in small. @param {object} thing */
function summary(thing) {
  const texts = Object.entries(thing).filter(([, value]) => isPlain(value) && value !== null && value !== '');
  const name = texts.find(([key]) => ['title', 'name', 'subject', 'summary', 'label'].includes(key));
  const rest = texts.filter((entry) => entry !== name).map(([, value]) => cut(plain(value)));
  return element('span', {}, name ? element('b', {}, cut(plain(name[1]))) : null, name && rest.length ? ' ' : null,
    element('span', { class: name ? 'quiet' : null }, rest.join(' · ')));
}

const cut = (text) => (text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX)}…` : text);
const plain = (value) => (typeof value === 'boolean' ? t(value ? 'chat.yes' : 'chat.no') : value === null ? '–' : plainly(String(value)));
const text = (value, whole) => plainly(whole ? value : shown(value));
const asItTravels = (value, whole) => element('pre', {}, text(JSON.stringify(value, null, 2) ?? '', whole));
