// What a call does, in plain words: an icon, what is being done, and to what. Names of tools are the engine's own; for one
// without a sentence here its name is read out.

import { has, t } from '../text/index.js';
import { spoken } from '../shell/dom.js';
import { plainly } from './plain.js';

const SUBJECT_CHARS_MAX = 120;

/** Tools whose sentence is in the texts as `tool.<name>` (doing) and `tool.<name>.did`; and what they act on. */
const SUBJECTS = {
  web_search: 'query', internet_search: 'query', news_search: 'query', web_fetch: 'url', browser_open: 'url',
  browser_click: 'ref', browser_extract: 'question', memory_recall: 'query', memory_remember: 'fact',
  memory_search_history: 'query', history_semantic_search: 'query', file_read: 'name', file_write: 'name',
  file_list: 'subdir', execute_code: 'purpose', terminal_run: 'command', current_datetime: 'timezone',
  weather_current: 'location', weather_forecast: 'location', maps_search_places: 'query', maps_directions: 'destination',
  delegate_task: 'goal', read_with_reader: 'tool', skill_view: 'name', skill_save: 'name', create_task_from_prompt: 'prompt',
  search_tasks: 'query', folder_search: 'query', folder_read: 'path', set_timer: 'label', set_reminder: 'message',
  set_alarm: 'at', gmail_search: 'query', gmail_send: 'to', gmail_reply: 'body', gmail_forward: 'to',
  gmail_create_draft: 'subject', gcal_list_events: 'query', gcal_create_event: 'summary', chart_create_url: null,
  chart_save_image: 'filename', delegate_tasks: null, gmail_trash: null,
};

/** Where no tool says it, the first of these arguments names what a call acts on. */
const USUAL_SUBJECTS = ['query', 'q', 'url', 'path', 'name', 'file', 'filename', 'title', 'subject', 'to', 'channel', 'repo',
  'location', 'command', 'goal', 'text', 'message'];

/** @type {[RegExp, string][]} */
const ICONS = [
  [/search|recall|history/, 'search'], [/^(web|internet|browser|news)_|url/, 'globe'], [/^memory/, 'brain'],
  [/^file|read|folder/, 'file-text'], [/code|terminal|script/, 'cpu'], [/mail|send|reply|message|slack|discord/, 'mail'],
  [/cal_|datetime|timer|remind|alarm|schedule/, 'clock'], [/delegate|reader/, 'bot'], [/task/, 'list-todo'],
  [/chart/, 'chart-column'], [/skill/, 'sparkles'], [/device|photo|screen/, 'smartphone'], [/home|light/, 'zap'],
];

/**
 * @param {{ name: string, args: any, state: string }} call
 * @returns {{ icon: string, label: string, subject: string }}
 */
export function toolWords({ name, args, state }) {
  // Only what went through has been done.
  const key = `tool.${name}${state === 'done' ? '.did' : ''}`;
  const known = has(key);
  return { icon: iconOf(name), label: known ? t(/** @type {any} */ (key)) : nameOf(name), subject: subjectOf(name, args) };
}

const iconOf = (name) => ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'wrench';

/** `mcp_files_read_text` is the tool `read text` of the server `files`. @param {string} name */
export function nameOf(name) {
  const mcp = /^mcp_([a-z0-9]+)_(.+)$/i.exec(name);
  return mcp ? `${spoken(mcp[2])} (${mcp[1]})` : spoken(name);
}

function subjectOf(name, args) {
  if (args === null || typeof args !== 'object') return '';
  const key = Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name] : USUAL_SUBJECTS.find((usual) => typeof args[usual] === 'string' && args[usual]);
  const value = key ? args[key] : '';
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const line = plainly(text.replace(/\s+/g, ' ').trim());
  return line.length > SUBJECT_CHARS_MAX ? `${line.slice(0, SUBJECT_CHARS_MAX)}…` : line;
}
