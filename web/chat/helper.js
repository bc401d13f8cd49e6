// A helper the chat started (contract section 10, "Subagents"): its goal, whether it still works, what it found, and the
// button that stops it.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';

const STATES = ['running', 'completed', 'error', 'cancelled'];

/**
 * @param {any} helper Subagent, with `note`: what it said last while it works
 * @param {{ stop: (helper: any) => void, prose: (text: string) => Node }} actions
 */
export function helperCard(helper, { stop, prose }) {
  const state = STATES.includes(helper.status) ? helper.status : 'running';
  const running = state === 'running';
  const steps = helper.tool_calls ? t('chat.helper.steps', { count: helper.tool_calls }) : null;
  const status = [t(/** @type {any} */ (`chat.helper.${state}`)), steps].filter(Boolean).join(' · ');
  const name = t(helper.kind === 'reader' ? 'chat.helper.reader' : 'chat.helper.worker');
  return element(
    'div',
    { class: 'helper', role: 'group', 'aria-label': name, 'data-state': state, 'data-id': helper.subagent_id },
    element('p', { class: 'helper-line' }, icon(running ? 'loader-circle' : state === 'completed' ? 'circle-check' : 'circle-alert'),
      element('span', { class: 'helper-goal' }, helper.goal), element('span', { class: 'quiet' }, status)),
    running && helper.note ? element('p', { class: 'quiet as-written' }, helper.note) : null,
    helper.error ? element('p', { class: 'notice' }, helper.error) : null,
    helper.summary && !running
      ? element('details', {}, element('summary', {}, t('chat.helper.found')), element('div', { class: 'prose' }, prose(helper.summary)))
      : null,
    running ? element('button', { type: 'button', class: 'small', onclick: () => stop(helper) }, t('chat.helper.stop')) : null,
  );
}
