// How full the model's context is, and what was used: a small meter in the message box, and the numbers on a press. The
// numbers are the engine's; none is worked out here.

import { $, element } from '../shell/dom.js';
import { dollars, number, t } from '../text/index.js';
import { modelName } from './model-picker.js';

/** @param {any} chat */
export function drawMeter(chat) {
  const { usage } = chat;
  const known = typeof usage?.context_percent === 'number';
  $('context').hidden = !known;
  $('context-warning').hidden = !usage?.context_warning;
  $('context-warning').textContent = usage?.context_warning ?? '';
  if (!known) return;
  $('context-label').textContent = t('chat.context', { percent: usage.context_percent });
  $('context-meter').value = usage.context_percent;
}

/**
 * @param {any} chat
 * @param {import('../shell/connection.js').Api} api
 */
export async function showUsage(chat, api) {
  const { usage } = chat;
  const rows = element('dl', {},
    ...row(t('chat.usage.model'), modelName(usage.model)),
    ...row(t('chat.usage.context'), t('chat.usage.of', { used: usage.context_used, length: usage.context_length })),
    ...row(t('chat.usage.tokens'), number(chat.tokens)));
  const dialog = element('dialog', { class: 'dialog', 'aria-labelledby': 'usage-title' },
    element('h2', { id: 'usage-title' }, t('chat.usage')), rows,
    element('p', { class: 'quiet' }, t('chat.usage.since')),
    element('div', { class: 'row answers' }, element('button', { type: 'button', onclick: () => dialog.close() }, t('shell.dismiss'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  const cost = await api.get('/api/usage/cost').catch(() => null); // an engine without prices shows none
  const today = cost?.periods?.find(({ key }) => key === 'today');
  const month = cost?.periods?.find(({ key }) => key === 'month');
  if (today) rows.append(...row(t('chat.usage.today'), dollars(today.cost_usd ?? 0)));
  if (month) rows.append(...row(t('chat.usage.month'), dollars(month.cost_usd ?? 0)));
}

const row = (name, value) => [element('dt', {}, name), element('dd', {}, value)];
