// The card that asks before a call runs: what would happen, to whom, why it asks, and the answers offered. It offers
// nothing the engine did not offer, and it never answers by itself.

import { element, shown, spoken } from '../shell/dom.js';

const RISKS = { read: 'Looks something up', write: 'Changes something', send: 'Sends', exec: 'Runs code' };

/** The words on the button of an answer (contract section 2, "Scoped answers"). */
export function answerLabel(decision, grantMinutes) {
  switch (decision) {
    case 'allow':
      return 'Allow once';
    case 'allow_session':
      return 'Allow for this chat';
    case 'allow_task':
      return 'Allow for this task';
    case 'allow_timed':
      return `Allow for ${minutes(grantMinutes ?? 60)}`;
    case 'allow_always':
      return 'Always allow';
    case 'deny':
      return 'Deny';
    default:
      return spoken(decision);
  }
}

function minutes(count) {
  if (count % 60 !== 0) return `${count} minutes`;
  return count === 60 ? '1 hour' : `${count / 60} hours`;
}

/** How an answered question reads afterwards. */
function outcome({ state, decision, grant_minutes: grantMinutes }) {
  if (state === 'sent') return 'Sending your answer…';
  if (state === 'answered') return decision ? `You answered: ${answerLabel(decision, grantMinutes)}` : 'Answered';
  return decision === 'deny' ? 'You answered: Deny' : 'This question is closed';
}

function preview({ title, fields = [], body }) {
  const rows = fields.flatMap(({ label, value }) => [element('dt', {}, label), element('dd', {}, String(value))]);
  return element(
    'div',
    { class: 'preview' },
    title ? element('b', {}, title) : null,
    rows.length ? element('dl', {}, ...rows) : null,
    body ? element('p', { class: 'as-written' }, body) : null,
  );
}

/** `answer(approval, decision)` is called once, with one of the offered choices. */
export function approvalCard(call, answer) {
  const { approval } = call;
  if (approval.state !== 'open') {
    return element('p', { class: 'approval quiet', 'data-state': approval.state }, outcome(approval));
  }
  const label = approval.reason || approval.risk_label || RISKS[approval.risk] || 'Wants to act';
  const name = spoken(approval.name);
  const button = (decision) => element(
    'button',
    {
      type: 'button',
      class: decision === 'allow' ? 'primary' : '',
      'data-decision': decision,
      onclick: () => answer(approval, decision),
    },
    answerLabel(decision, approval.grant_minutes),
  );
  const choices = approval.choices?.length ? approval.choices : ['allow', 'deny'];
  return element(
    'div',
    { class: 'approval', role: 'group', 'aria-label': `${name} asks for your OK`, 'data-state': 'open', 'data-risk': approval.risk },
    element('p', { class: 'question' }, label),
    approval.target ? element('p', { class: 'target' }, approval.target) : null,
    approval.untrusted ? element('p', { class: 'warning' }, approval.untrusted) : null,
    approval.warning ? element('p', { class: 'warning' }, approval.warning) : null,
    approval.preview ? preview(approval.preview) : null,
    element(
      'details',
      {},
      element('summary', {}, 'Exactly what it would do'),
      element('pre', { tabindex: 0, role: 'region', 'aria-label': 'Arguments' }, shown(approval.arguments)),
    ),
    element('div', { class: 'row answers' }, ...choices.map(button)),
  );
}
