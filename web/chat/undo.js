// The moments in which something sent can still be taken back (contract section 10, "Undo window"). The engine holds the
// call and decides when the window is over; this card counts along and hands on what the person presses.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';
import { previewCard } from './preview.js';

const TICK_MS = 250;

/**
 * @param {any} call with `undo`: `{undo_id, seconds, until, preview, state, heardAt}`
 * @param {(undo: any, action: 'undo' | 'send_now') => void} respond
 */
export function undoCard(call, respond) {
  const { undo } = call;
  if (undo.state !== 'open') return element('p', { class: 'undo quiet', 'data-state': undo.state }, outcome(undo));
  const left = element('span', { class: 'countdown', 'aria-hidden': 'true' });
  const bar = element('progress', { class: 'undo-bar', max: String(undo.seconds || 1), 'aria-hidden': 'true' });
  const node = element(
    'div',
    { class: 'card undo', role: 'group', tabindex: -1, 'aria-label': t('chat.undo.label'), 'data-state': 'open' },
    element('p', { class: 'card-title' }, icon('hourglass'), element('b', {}, t('chat.undo.title')), left),
    undo.preview ? previewCard(undo.preview) : null,
    bar,
    element('div', { class: 'row answers' },
      element('button', { type: 'button', class: 'primary', onclick: () => respond(undo, 'undo') }, icon('undo-2'), t('chat.undo')),
      element('button', { type: 'button', onclick: () => respond(undo, 'send_now') }, t('chat.undo.now'))),
  );
  const tick = () => {
    const seconds = Math.max(0, (deadline(undo) - Date.now()) / 1000);
    left.textContent = t('chat.undo.left', { count: Math.ceil(seconds) });
    bar.value = Math.min(seconds, undo.seconds);
    if (seconds > 0 && (node.isConnected || !begun)) begun = setTimeout(tick, TICK_MS);
  };
  let begun = null;
  tick();
  return node;
}

/** Never later than the engine said and than the seconds it gave, whatever this computer's clock says. */
function deadline({ until, seconds, heardAt }) {
  const said = Date.parse(until);
  return Number.isNaN(said) ? heardAt + seconds * 1000 : Math.min(said, heardAt + seconds * 1000);
}

function outcome({ state, action }) {
  if (state === 'sent') return t(action === 'undo' ? 'chat.undo.taking' : 'chat.undo.sending');
  if (state === 'undone') return t('chat.undo.undone');
  return t(state === 'late' ? 'chat.undo.late' : 'chat.undo.over');
}
