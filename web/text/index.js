// The words of the window, in the language of the person. Every sentence has a key in `en.js`; `de.js` has the same keys.
// A value is a text with `{names}`, or, where the number changes the words, `{ one, other }` chosen by `{count}`.

import english from './en.js';

/** Languages with a file of their own, with the name they call themselves. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' };
const KEPT_AS = 'sentient.language';

/** @typedef {string | { one: string, other: string }} Message */
/** @typedef {keyof typeof english} Key */

/** The language the person chose in this browser, else that of the browser. */
function wanted() {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEPT_AS);
  const given = [kept, ...(globalThis.navigator?.languages ?? [])].map((tag) => tag?.slice(0, 2).toLowerCase());
  return given.find((tag) => tag && Object.hasOwn(LANGUAGES, tag)) ?? 'en';
}

export const language = wanted();
/** @type {Record<string, Message>} */
const messages = language === 'en' ? english : { ...english, ...(await import(`./${language}.js`)).default };
const plural = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/**
 * The text of `key`, with its `{names}` filled in. Numbers are written as the language writes them.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return fill(messages[key] ?? key, values);
}

/**
 * Words for the settings in the language of the window, by their key; the schema of the engine has them in English. Only
 * languages that have such a table are named here.
 * @returns {Promise<Record<string, string | [string, string]>>}
 */
export async function settingsWords() {
  return language === 'de' ? (await import('./settings-de.js')).default : {};
}

/** Whether there is a text for a key that is put together from parts, such as the name of a setting. @param {string} key */
export const has = (key) => Object.hasOwn(messages, key);

/**
 * @param {Message} message
 * @param {Record<string, string | number>} values
 */
function fill(message, values) {
  const text = typeof message === 'string' ? message : message[plural.select(Number(values.count)) === 'one' ? 'one' : 'other'];
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}

/** Keeps the language for this browser; the page is loaded anew in it. @param {string} tag */
export function speak(tag) {
  localStorage.setItem(KEPT_AS, tag);
  location.reload();
}

const UNITS = /** @type {const} */ ([['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]]);
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const hands = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
const money = new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' });

/** `3 minutes ago`, `in 2 hours`. @param {string | number | Date} time */
export function ago(time, now = Date.now()) {
  const seconds = Math.round((new Date(time).getTime() - now) / 1000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size || unit === 'second') return relative.format(Math.trunc(seconds / size), unit);
  }
  return '';
}

/** Date and time as the language writes them. @param {string | number | Date} time */
export const at = (time) => moment.format(new Date(time));
/** The time of day, with its seconds. @param {string | number | Date} time */
export const clock = (time) => hands.format(new Date(time));
/** @param {number} count */
export const number = (count) => numbers.format(count);
/** Dollars; small sums keep what tells them from nothing. @param {number} sum */
export const dollars = (sum) => (sum > 0 && sum < 0.01 ? `< ${money.format(0.01)}` : money.format(sum || 0)); // `|| 0`: a sum of nothing may be minus zero
