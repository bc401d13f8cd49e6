// Questions that hold everything else up. Each is a `dialog` element: Escape and the way back are the browser's, the
// focus starts on the harmless answer and returns to where it was.

import { element } from './dom.js';
import { t } from '../text/index.js';

/**
 * Shows `content` in a dialog; the answer is the value of the button that closed it, `''` for Escape.
 * @param {{ title: string, content?: (Node | string | null)[], buttons: { label: string, value: string, kind?: string }[] }} question
 * @returns {Promise<string>}
 */
export function ask({ title, content = [], buttons }) {
  return new Promise((answered) => {
    const dialog = element(
      'dialog',
      { class: 'dialog', 'aria-labelledby': 'dialog-title' },
      element('h2', { id: 'dialog-title' }, title),
      ...content,
      element('div', { class: 'row answers' }, ...buttons.map(({ label, value, kind = '' }) =>
        element('button', { type: 'button', class: kind, onclick: () => dialog.close(value) }, label))),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      answered(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Whether the person wants it. The harmless answer comes first and has the focus.
 * @param {string} title
 * @param {string} yes what the button does
 * @param {(Node | string)[]} [content]
 */
export async function confirm(title, yes, content = []) {
  const buttons = [{ label: t('shell.cancel'), value: '' }, { label: yes, value: 'yes', kind: 'stop' }];
  return (await ask({ title, content: content.map((part) => element('p', {}, part)), buttons })) === 'yes';
}
