// The helpers of a chat, beside it: what each was asked, whether it still works, every step it took, and the button that
// stops it (contract section 10, "Subagents"). They are those of the chat on the screen, as `conversation.js` knows them;
// the steps are fetched when somebody looks at them, and again while they grow.

import { path } from '../shell/connection.js';
import { $, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { clock, t } from '../text/index.js';
import { duration } from './call.js';
import { plainly } from './plain.js';
import { nameOf } from './tool-words.js';
import { part } from './values.js';

const STATES = ['running', 'completed', 'error', 'cancelled'];
const ICONS = { running: 'loader-circle', completed: 'circle-check', error: 'circle-alert', cancelled: 'x' };
/** Steps come in quick rows; they are fetched once for all that came within this time. */
const AFTER_MS = 250;

export class HelperPanel {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ chat: () => any, stop: (helper: any) => Promise<void>, reveal: (callId: string) => void, prose: (text: string) => Node }} on
   */
  constructor(api, on) {
    this.api = api;
    this.on = on;
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    $('show-helpers').addEventListener('click', () => this.show(!this.shown));
    $('close-helpers').addEventListener('click', () => this.show(false));
    $('stop-helpers').addEventListener('click', () => this.stopAll());
    $('helper-panel').addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.show(false);
    });
  }

  get shown() {
    return !$('helper-panel').hidden;
  }

  /** @param {boolean} shown */
  show(shown) {
    if (shown === this.shown) return;
    $('helper-panel').hidden = !shown;
    $('show-helpers').setAttribute('aria-expanded', String(shown));
    $('helper-panel').closest('.whole').classList.toggle('with-helpers', shown);
    this.draw();
    if (shown) $('helpers-title').focus();
    else ($('show-helpers').hidden ? $('message') : $('show-helpers')).focus();
  }

  /** Newest first. */
  helpers() {
    const began = ({ started_at: at }) => (at ? Date.parse(at) : Number.MAX_SAFE_INTEGER);
    return [...this.on.chat().helpers.values()].sort((a, b) => began(b) - began(a));
  }

  /** Brings the button and, when it is shown, the panel in line with the chat on the screen. */
  draw() {
    const helpers = this.helpers();
    const running = helpers.filter(({ status }) => status === 'running');
    $('show-helpers').hidden = helpers.length === 0;
    $('helpers-count').textContent = running.length ? String(running.length) : '';
    $('show-helpers').classList.toggle('working', running.length > 0);
    $('show-helpers').setAttribute('aria-label', running.length ? t('helpers.open.working', { count: running.length }) : t('helpers.open'));
    if (!this.shown) return;
    $('no-helpers').hidden = helpers.length > 0;
    $('stop-helpers').hidden = running.length < 2;
    const there = new Set(helpers.map(({ subagent_id: id }) => id));
    for (const [id, row] of this.rows) if (!there.has(id)) this.drop(id, row);
    let next = /** @type {Element | null} */ (null);
    for (const helper of helpers.toReversed()) {
      const row = this.rows.get(helper.subagent_id) ?? this.newRow(helper.subagent_id);
      row.draw(helper);
      if (row.node.parentNode !== $('helper-list') || row.node.nextElementSibling !== next) $('helper-list').insertBefore(row.node, next);
      next = row.node;
    }
  }

  newRow(id) {
    const row = new Row(this.api, this.on);
    this.rows.set(id, row);
    return row;
  }

  /** @param {string} id @param {Row} row */
  drop(id, row) {
    row.node.remove();
    this.rows.delete(id);
  }

  async stopAll() {
    const running = this.helpers().filter(({ status }) => status === 'running');
    await Promise.all(running.map((helper) => this.on.stop(helper)));
    if (this.shown) $('helpers-title').focus(); // the button is gone
  }
}

/** One helper. What was unfolded stays so, and a button keeps the focus, while its news come in. */
class Row {
  constructor(api, on) {
    this.api = api;
    this.on = on;
    /** What of its steps is drawn. */
    this.steps = 0;
    this.state = element('span', { class: 'icon-place' });
    this.goal = element('h3', { tabindex: -1 });
    this.status = element('p', { class: 'quiet' });
    this.note = element('p', { class: 'quiet as-written' });
    this.error = element('p', { class: 'notice' });
    this.found = element('details', {}, element('summary', {}, t('chat.helper.found')));
    this.report = element('div', { class: 'prose' });
    this.found.append(this.report);
    this.log = element('ol', { class: 'helper-steps' });
    this.unread = element('p', { class: 'quiet' });
    this.details = element('details', { ontoggle: () => this.fetchSoon() }, element('summary', {}, t('helpers.steps')), this.unread, this.log);
    this.stop = element('button', { type: 'button', class: 'small', onclick: () => this.stopped() }, icon('square'), t('chat.helper.stop'));
    this.see = element('button', { type: 'button', class: 'small', onclick: () => this.on.reveal(this.helper.parent_call_id) }, t('helpers.see'));
    this.node = element('li', { class: 'helper-row' },
      element('div', { class: 'helper-head' }, this.state, this.goal), this.status, this.note, this.error, this.found, this.details,
      element('div', { class: 'row' }, this.stop, this.see));
  }

  async stopped() {
    this.stop.disabled = true;
    await this.on.stop(this.helper);
    this.stop.disabled = false;
    if (this.stop.hidden) this.goal.focus();
  }

  /** @param {any} helper */
  draw(helper) {
    const before = this.helper;
    this.helper = { ...helper };
    const state = STATES.includes(helper.status) ? helper.status : 'running';
    const running = state === 'running';
    if (this.node.dataset.state !== state) {
      this.node.dataset.state = state;
      this.state.replaceChildren(icon(ICONS[state]));
    }
    this.goal.textContent = plainly(helper.goal || t('chat.helper.worker'));
    this.status.textContent = statusOf(helper, state);
    put(this.note, running ? helper.note ?? '' : '');
    put(this.error, helper.error ?? '');
    const report = running ? '' : helper.summary ?? '';
    this.found.hidden = !report;
    if (report !== (before?.summary ?? '') || this.report.childNodes.length === 0) this.report.replaceChildren(report ? this.on.prose(report) : '');
    this.stop.hidden = !running;
    this.see.hidden = !helper.parent_call_id;
    if (!before || before.tool_calls !== helper.tool_calls || before.status !== helper.status || before.note !== helper.note) this.fetchSoon();
  }

  /** The steps, while somebody looks at them. */
  fetchSoon() {
    if (!this.details.open || this.waits) return;
    this.waits = true;
    setTimeout(() => {
      this.waits = false;
      this.fetch();
    }, this.steps === 0 ? 0 : AFTER_MS);
  }

  async fetch() {
    try {
      const { events = [] } = await this.api.get(path`/api/subagents/${this.helper.subagent_id}`);
      for (const event of events.slice(this.steps)) this.log.append(step(event, this.on.prose));
      this.steps = Math.max(this.steps, events.length);
      put(this.unread, this.steps === 0 ? t('helpers.steps.none') : '');
    } catch (error) {
      put(this.unread, error.message);
    }
  }
}

/** @param {HTMLElement} node @param {string} text */
function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
  node.hidden = text === '';
}

/** `Reader · in the background · done · 3 steps · 2.1 s` */
function statusOf(helper, state) {
  const took = helper.started_at && helper.finished_at ? Date.parse(helper.finished_at) - Date.parse(helper.started_at) : null;
  return [
    t(helper.kind === 'reader' ? 'chat.helper.reader' : 'chat.helper.worker'),
    helper.background ? t('helpers.background') : null,
    t(/** @type {any} */ (`chat.helper.${state}`)),
    helper.tool_calls ? t('chat.helper.steps', { count: helper.tool_calls }) : null,
    took !== null && took >= 0 ? duration(took) : null,
  ].filter(Boolean).join(' · ');
}

/**
 * One step of its log.
 * @param {any} event ProgressUpdate
 * @param {(text: string) => Node} prose
 */
function step({ timestamp, message }, prose) {
  const { type, content = '', tool_name: tool, parameters, result, is_error: failed } = message;
  const time = element('time', { class: 'quiet', datetime: timestamp }, clock(timestamp));
  const line = (picture, text, ...more) => element('li', { 'data-step': type }, time, icon(picture), element('div', {}, element('span', { class: 'as-written' }, plainly(text)), ...more));
  const folded = (label, value) => element('details', {}, element('summary', {}, label), ...part(label, value));
  switch (type) {
    case 'tool_call':
      return line('wrench', tool ? nameOf(tool) : content, parameters && Object.keys(parameters).length ? folded(t('chat.call.given'), parameters) : null);
    case 'tool_result':
      return line(failed ? 'circle-alert' : 'check', failed ? t('chat.call.failed') : t('chat.call.result'), result ? folded(tool ? nameOf(tool) : t('chat.call.result'), parsed(result)) : null);
    case 'final_answer':
      return element('li', { 'data-step': type }, time, icon('circle-check'), element('div', { class: 'prose' }, prose(content)));
    case 'error':
      return line('circle-alert', content);
    default:
      return line(type === 'thought' ? 'brain' : 'info', content);
  }
}

/** Results travel as JSON text. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
