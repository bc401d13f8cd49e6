// The card that asks before a call runs: what would happen, to whom, why it asks, and the answers offered. It offers
// nothing the engine did not offer, and it never answers by itself.

import { element, spoken } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';
import { plainly } from './plain.js';
import { previewCard } from './preview.js';
import { nameOf } from './tool-words.js';
import { readable } from './values.js';

const RISKS = ['read', 'write', 'send', 'exec'];

/**
 * The words on the button of an answer (contract section 2, "Scoped answers").
 * @param {string} decision
 * @param {number} [grantMinutes]
 */
export function answerLabel(decision, grantMinutes = 60) {
  switch (decision) {
    case 'allow':
      return t('chat.answer.allow');
    case 'allow_session':
      return t('chat.answer.session');
    case 'allow_task':
      return t('chat.answer.task');
    case 'allow_timed':
      return grantMinutes % 60 === 0
        ? t('chat.answer.hours', { count: grantMinutes / 60 })
        : t('chat.answer.minutes', { count: grantMinutes });
    case 'allow_always':
      return t('chat.answer.always');
    case 'deny':
      return t('chat.answer.deny');
    default:
      return spoken(decision);
  }
}

/** How an answered question reads afterwards. */
function outcome({ state, decision, grant_minutes: grantMinutes }) {
  if (state === 'sent') return t('chat.answer.sending');
  if (decision) return t('chat.answered', { answer: answerLabel(decision, grantMinutes) });
  return t(state === 'answered' ? 'chat.answered.elsewhere' : 'chat.answered.closed');
}

/**
 * @param {any} call with its `approval`
 * @param {(approval: any, decision: string) => void} answer is called with one of the offered choices
 */
export function approvalCard(call, answer) {
  const { approval } = call;
  if (approval.state !== 'open') {
    return element('p', { class: 'approval quiet', 'data-state': approval.state }, outcome(approval));
  }
  const risk = RISKS.includes(approval.risk) ? approval.risk : 'write';
  const label = approval.reason || approval.risk_label || t(/** @type {any} */ (`chat.risk.${risk}`));
  const choices = approval.choices?.length ? approval.choices : ['allow', 'deny'];
  const button = (decision) => element(
    'button',
    { type: 'button', class: decision === 'allow' ? 'primary' : null, 'data-decision': decision, onclick: () => answer(approval, decision) },
    answerLabel(decision, approval.grant_minutes),
  );
  const warning = (text, picture) => (text ? element('p', { class: 'warning' }, icon(picture), element('span', {}, text)) : null);
  return element(
    'div',
    { class: 'card approval', role: 'group', tabindex: -1, 'aria-label': t('chat.asks', { name: nameOf(approval.name) }), 'data-state': 'open', 'data-risk': risk },
    element('p', { class: 'card-title question' }, icon('shield-check'), element('b', {}, label),
      approval.target ? element('span', { class: 'target' }, plainly(approval.target)) : null),
    warning(approval.untrusted, 'eye'),
    warning(approval.warning, 'triangle-alert'),
    approval.preview ? previewCard(approval.preview) : null,
    element('details', { open: !approval.preview }, element('summary', {}, t('chat.asks.exactly')),
      element('div', { class: 'value', tabindex: 0, role: 'region', 'aria-label': t('chat.arguments') }, readable(approval.arguments, true))),
    element('div', { class: 'row answers' }, ...choices.map(button)),
  );
}
