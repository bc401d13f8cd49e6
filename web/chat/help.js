// The keys of the window, in a dialog: what is bound now, and what the message box does by itself.

import { element } from '../shell/dom.js';
import { bound, written } from '../shell/keys.js';
import { t } from '../text/index.js';

export function showKeys() {
  if (document.querySelector('dialog[open]')) return;
  const row = (keys, label) => [element('dt', {}, ...keys.map((key) => element('kbd', {}, key))), element('dd', {}, label)];
  const dialog = element('dialog', { class: 'dialog keys-dialog', 'aria-labelledby': 'keys-title' },
    element('h2', { id: 'keys-title' }, t('chat.help')),
    element('dl', { class: 'keys-list' },
      ...row(['Enter'], t('chat.help.send')),
      ...row(['Shift', 'Enter'], t('chat.help.line')),
      ...row(['Esc'], t('chat.help.stop')),
      ...bound().flatMap(({ keys, label }) => row([written(keys)], label))),
    element('div', { class: 'row answers' }, element('button', { type: 'button', onclick: () => dialog.close() }, t('shell.dismiss'))));
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
