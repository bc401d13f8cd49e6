// The schema of the settings as a list of values to draw, and the search in it. No DOM: the tests read it too.

/**
 * One value of the settings.
 * @typedef {object} Field
 * @property {string[]} path e.g. `['chat', 'history_window']`
 * @property {string} key the path with dots
 * @property {string} label as people say it
 * @property {string} unit what its number counts, `''` when the label says it
 * @property {string} description
 * @property {any} fallback its value when nothing was chosen
 * @property {'switch' | 'choice' | 'integer' | 'number' | 'text' | 'model' | 'list' | 'choices' | 'roles' | 'json'} control
 * @property {any} schema
 * @property {Record<string, string>} [names] what its values are called, where they are not called by themselves
 * @property {boolean} [foreign] its words are English although the window is not
 */

/** Values other pages of the settings have, in a form that suits them better. */
const ELSEWHERE = new Set(['models.roles', 'tools.approvals.rules', 'tools.approvals.rule_origins', 'models.presets', 'models.active_preset', 'assistant.onboarding_complete']);

const UNITS = /_(s|ms|minutes|hours|days|kb|mb|usd|percent|chars|tokens|messages)$/;

/** `history_window` → `History window`. @param {string} name */
export function labelOf(name) {
  // A unit stands behind the number. `grant_minutes` keeps it: one word alone says too little.
  const bare = name.replace(UNITS, '');
  const words = (bare.includes('_') && unitOf(name) ? bare : name).replaceAll('_', ' ');
  const known = words.replace(/\b(ai|api|mcp|url|lan|gpu|html|http|sms|imap|id|tts|stt)\b/g, (word) => word.toUpperCase());
  return known.charAt(0).toUpperCase() + known.slice(1);
}

/** @param {string} name */
const unitOf = (name) => ({ s: 's', ms: 'ms', usd: '$', percent: '%', kb: 'kB', mb: 'MB', minutes: 'min', hours: 'h', days: 'd' })[UNITS.exec(name)?.[1] ?? ''] ?? '';

/** @param {any} node @returns {Field['control']} */
function controlOf(node) {
  const type = Array.isArray(node.type) ? node.type.find((one) => one !== 'null') : node.type;
  if (type === 'boolean') return 'switch';
  if (node.enum) return 'choice';
  if (type === 'integer') return 'integer';
  if (type === 'number') return 'number';
  if (type === 'array') return node.items?.enum ? 'choices' : node.items?.type === 'string' ? 'list' : 'json';
  if (type === 'object') return node.propertyNames?.enum ? 'roles' : 'json';
  return node.format === 'model' ? 'model' : 'text';
}

/**
 * Every value below a node of the schema, in its order.
 * @param {any} node
 * @param {string[]} [path]
 * @returns {Field[]}
 */
export function fieldsOf(node, path = []) {
  const key = path.join('.');
  if (ELSEWHERE.has(key)) return [];
  if (node.properties) return Object.entries(node.properties).flatMap(([name, inner]) => fieldsOf(inner, [...path, name]));
  const name = path.at(-1) ?? '';
  return [{ path, key, label: labelOf(name), unit: unitOf(name), description: node.description ?? '', fallback: node.default ?? null, control: controlOf(node), schema: node }];
}

/**
 * The same fields with the words of another language, where it has some; `foreign` says that a description is still English.
 * @param {Field[]} fields
 * @param {Record<string, string | [string, string]>} words by key; of a value to choose by `key=value`
 * @returns {Field[]}
 */
export function inWords(fields, words) {
  if (Object.keys(words).length === 0) return fields;
  return fields.map((field) => {
    const found = words[field.key];
    const names = Object.fromEntries((field.schema.enum ?? []).map((one) => [one, words[`${field.key}=${one}`]]).filter(([, name]) => name));
    return Array.isArray(found) ? { ...field, label: found[0], description: found[1], names } : { ...field, foreign: true };
  });
}

/** The value at a path. @param {any} config @param {string[]} path */
export const valueAt = (config, path) => path.reduce((inner, name) => inner?.[name], config);

/** A change of one value, as `PATCH /api/config` takes it. @param {string[]} path @param {any} value */
export const changeOf = (path, value) => path.reduceRight((inner, name) => ({ [name]: inner }), value);

/** Whether two values are the same, whatever the order of names in them. @param {any} one @param {any} other */
export function same(one, other) {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]));
}

/**
 * The fields that have every word of `text` in their name, section or description; those named so come first.
 * @param {Field[]} fields
 * @param {string} text
 */
export function find(fields, text) {
  const words = text.toLowerCase().split(/[\s._]+/).filter(Boolean);
  if (words.length === 0) return [];
  return fields
    .map((field) => {
      const name = `${field.key.replaceAll(/[._]/g, ' ')} ${field.label}`.toLowerCase();
      const values = JSON.stringify([field.schema.enum ?? '', Object.values(field.names ?? {})]);
      const all = `${name} ${field.description} ${field.schema.description ?? ''} ${values}`.toLowerCase();
      if (!words.every((word) => all.includes(word))) return { field, rank: 0 };
      return { field, rank: 1 + words.filter((word) => name.includes(word)).length };
    })
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ field }) => field);
}

/**
 * Reads what was typed for a list: one entry per line, empty lines left out.
 * @param {string} text
 */
export const entriesOf = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);
