// What stands below the conversation and waits for the person: rules that may be made, helpers that work in the
// background, and the mark of a chat that read outside content.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';
import { helperCard } from './helper.js';
import { proposalCard } from './proposal.js';

/**
 * @param {any} chat
 * @param {string} untrusted what the chat read, `''` when nothing
 * @param {{ decide: any, stopHelper: any, trust: () => void, prose: (text: string) => Node }} actions
 * @returns {Node[]}
 */
export function asideCards(chat, untrusted, actions) {
  const shown = new Set(chat.items.flatMap((item) => item.blocks ?? []).map((block) => block.callId).filter(Boolean));
  const alone = [...chat.helpers.values()].filter((helper) => !shown.has(helper.parent_call_id) && helper.status === 'running');
  return [
    ...[...chat.proposals.values()].map((proposal) => proposalCard(proposal, actions.decide)),
    ...alone.map((helper) => helperCard(helper, { stop: actions.stopHelper, prose: actions.prose })),
    untrusted ? trustCard(untrusted, actions.trust) : null,
  ].filter(Boolean);
}

/** "I've checked it, trust this chat again" (contract section 10, "Trusting a chat again"). */
function trustCard(untrusted, trust) {
  return element(
    'details',
    { class: 'trust' },
    element('summary', {}, icon('eye'), element('span', {}, t('chat.untrusted', { app: untrusted }))),
    element('p', { class: 'quiet' }, t('chat.untrusted.why', { app: untrusted })),
    element('button', { type: 'button', onclick: trust }, icon('shield-check'), t('chat.trust')),
  );
}
