// "Make this a rule?" (contract section 2, "Rules from chat"): what the person said, which actions it would cover, and how
// strictly. Only the press of a button makes a rule.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';

const LEVELS = ['never', 'ask', 'if_asked', 'hand_off'];

/**
 * @param {any} proposal RuleProposal, with `busy` while an answer is on its way
 * @param {(proposal: any, decision: 'accept' | 'decline') => void} decide
 */
export function proposalCard(proposal, decide) {
  const level = LEVELS.includes(proposal.rule) ? proposal.rule : 'ask';
  const targets = (proposal.targets ?? []).map(({ label }) => element('li', {}, label));
  const button = (decision, label, kind) =>
    element('button', { type: 'button', class: kind, disabled: Boolean(proposal.busy), onclick: () => decide(proposal, decision) }, label);
  return element(
    'div',
    { class: 'card proposal', role: 'group', 'aria-label': t('chat.rule.title'), 'data-id': proposal.id },
    element('p', { class: 'card-title' }, icon('shield-check'), element('b', {}, t('chat.rule.title'))),
    element('blockquote', { class: 'said' }, proposal.said),
    element('p', {}, t(/** @type {any} */ (`chat.rule.${level}`))),
    targets.length ? element('ul', { class: 'chips', 'aria-label': t('chat.rule.targets') }, ...targets) : null,
    element('p', { class: 'quiet' }, t('chat.rule.until')),
    element('div', { class: 'row answers' }, button('accept', t('chat.rule.accept'), 'primary'), button('decline', t('chat.rule.decline'), '')),
  );
}
