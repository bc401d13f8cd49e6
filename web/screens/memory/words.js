// Where a memory came from, where it is kept and how sure it is, in words. Names of apps and files are the engine's own.

import { baseName, spoken } from '../../shell/dom.js';
import { t } from '../../text/index.js';

const KNOWN = new Set(['conversation', 'manual', 'onboarding', 'user_model', 'mcp', 'task']);
const BEGUN = ['channel', 'device', 'app', 'folder', 'file', 'import'];

/** `channel:telegram` as a person says it. @param {string} source */
export function sourceName(source) {
  if (KNOWN.has(source)) return t(/** @type {any} */ (`memory.from.${source}`));
  const [start, ...rest] = (source ?? '').split(':');
  const name = rest.join(':');
  if (BEGUN.includes(start) && name) return t(/** @type {any} */ (`memory.from.${start}`), { name: start === 'file' ? baseName(name) : spoken(name.replace(/^mcp_/, '')) });
  return spoken(source ?? '');
}

const TOPICS = {
  'Personal Identity': 'identity', 'Interests & Lifestyle': 'interests', 'Work & Learning': 'work', 'Health & Wellbeing': 'health',
  'Relationships & Social Life': 'relationships', Financial: 'money', 'Goals & Challenges': 'goals', Miscellaneous: 'other',
};

/** A topic in the words of the window. @param {string} topic */
export const topicName = (topic) => (Object.hasOwn(TOPICS, topic) ? t(/** @type {any} */ (`memory.topic.${TOPICS[topic]}`)) : topic);

/** @param {number} confidence 0 to 1 */
export const sureness = (confidence) => t(confidence >= 0.9 ? 'memory.sure' : confidence >= 0.7 ? 'memory.quitesure' : 'memory.unsure');

/** A scope, built-in ones in the words of the window. @param {{ name: string, label: string }[]} scopes @param {string | null} name */
export const scopeName = (scopes, name) => {
  if (!name) return '';
  if (['personal', 'work', 'always'].includes(name)) return t(/** @type {any} */ (`memory.scope.${name}`));
  return scopes.find((scope) => scope.name === name)?.label ?? name;
};
