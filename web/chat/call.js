// A call of a tool: one quiet line that says in plain words what is being done, which unfolds to what it was given and what
// came of it; and below the line what wants the person's attention: a question, an undo window, something handed over.

import { arrange, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';
import { approvalCard } from './approval.js';
import { handOffCard, isHandOff } from './handoff.js';
import { helperCard } from './helper.js';
import { nameOf, toolWords } from './tool-words.js';
import { undoCard } from './undo.js';
import { part } from './values.js';

const STATES = ['running', 'done', 'failed', 'declined', 'undone', 'handed', 'ended'];
const RESULT_ICONS = { failed: 'circle-alert', declined: 'x', undone: 'undo-2', handed: 'circle-check' };

/** @param {any} call */
export const newCallNode = (call) => element('section', { class: 'call', 'aria-label': nameOf(call.name) });

/**
 * @param {any} call
 * @param {HTMLElement} node
 * @param {{ answer: any, respond: any, stopHelper: any, helpersOf: (callId: string) => any[], prose: (text: string) => Node }} actions
 */
export function drawCall(call, node, actions) {
  node.dataset.state = call.state;
  const helpers = actions.helpersOf(call.callId);
  const focused = kept(node, ':scope > details')?.contains(document.activeElement);
  const fresh = line(call, node);
  arrange(node, [
    fresh,
    problem(call),
    call.picture ? element('img', { src: call.picture, alt: t('chat.sees', { name: nameOf(call.name) }) }) : null,
    helpers.length ? helperList(node, helpers, actions) : null,
    call.undo ? keptCard(node, ':scope > .undo', call.undo.state, () => undoCard(call, actions.respond)) : null,
    isHandOff(call.result) ? kept(node, ':scope > .handoff') ?? handOffCard(call.result) : null,
    call.approval ? keptCard(node, ':scope > .approval', call.approval.state, () => approvalCard(call, actions.answer)) : null,
  ].filter((part) => part !== null));
  if (focused) fresh.querySelector('summary')?.focus({ preventScroll: true });
}

const kept = (node, selector) => node.querySelector(selector);

/** A card keeps its element while its state is the same, so that a button does not lose the focus. */
function keptCard(node, selector, state, make) {
  const old = kept(node, selector);
  return old?.dataset.state === state ? old : make();
}

/** A helper's card is drawn anew when it has news; what was unfolded and the focus stay. */
function helperList(node, helpers, actions) {
  const list = kept(node, ':scope > .helpers') ?? element('div', { class: 'helpers' });
  arrange(list, helpers.map((helper) => {
    const old = kept(list, `.helper[data-id="${CSS.escape(helper.subagent_id)}"]`);
    const text = JSON.stringify([helper.status, helper.goal, helper.note, helper.summary, helper.error, helper.tool_calls]);
    if (old?.dataset.drawn === text) return old;
    const card = helperCard(helper, { stop: actions.stopHelper, prose: actions.prose });
    card.dataset.drawn = text;
    const folded = card.querySelector('details');
    if (folded) folded.open = old?.querySelector('details')?.open ?? false;
    if (old?.contains(document.activeElement)) queueMicrotask(() => /** @type {HTMLElement | null} */ (card.querySelector('button, summary'))?.focus({ preventScroll: true }));
    return card;
  }));
  return list;
}

function line(call, node) {
  const wasOpen = node.querySelector(':scope > details')?.open ?? false;
  const { icon: picture, label, subject } = toolWords(call);
  const state = STATES.includes(call.state) ? call.state : 'ended';
  const asking = call.approval?.state === 'open';
  const words = asking ? t('chat.call.waits') : state === 'running' ? call.status || t('chat.call.running') : state === 'done' ? '' : t(/** @type {any} */ (`chat.call.${state}`));
  const took = call.ms !== null && call.ms >= 1000 ? duration(call.ms) : '';
  const parts = [
    icon(state === 'running' && !asking ? 'loader-circle' : RESULT_ICONS[state] ?? picture),
    element('span', { class: 'call-name' }, label),
    subject ? element('span', { class: 'call-subject', title: subject }, subject) : null,
    element('span', { class: 'quiet call-state' }, [words, took].filter(Boolean).join(' · ')),
    call.check?.ok && call.check.how === 'read_back' ? element('span', { class: 'quiet checked', title: t('chat.checked.why') }, icon('check'), t('chat.checked')) : null,
  ];
  // While it asks, the card itself shows what the call would do.
  if (asking) return element('p', { class: 'call-line' }, ...parts);
  return element('details', { open: wasOpen }, element('summary', { class: 'call-line' }, ...parts, icon('chevron-right')),
    element('div', { class: 'call-parts' }, ...details(call)));
}

function details(call) {
  const parts = [];
  if (call.args !== null) parts.push(...part(t('chat.call.given'), call.args));
  if (call.output) parts.push(element('h4', {}, t('chat.call.output')), element('pre', { tabindex: 0, role: 'region', 'aria-label': t('chat.call.output') }, call.output));
  // What the person did themselves is said by a card; the result has words for the model.
  if (call.result !== null && !['undone', 'declined', 'handed'].includes(call.state)) parts.push(...part(t('chat.call.result'), call.result));
  return parts;
}

/** Why a call did not do what was asked, in the engine's words. */
function problem(call) {
  const failed = call.check && call.check.ok === false && !call.check.settled ? call.check.detail || call.check.message : null;
  if (failed) return element('p', { class: 'notice' }, t('chat.check.failed', { detail: failed }));
  const message = typeof call.result?.error === 'string' ? call.result.error : null;
  if (!message || ['done', 'undone', 'declined'].includes(call.state)) return null;
  return element('p', { class: 'notice' }, message);
}

/** @param {number} ms */
export const duration = (ms) => t('chat.seconds', { count: Math.round(ms / 100) / 10 });
