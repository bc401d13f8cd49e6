// Short news at the edge of the window. They go by themselves, unless they offer something to do or report a problem;
// assistive tools read them out. At most a few are shown.

import { element } from './dom.js';
import { icon } from './icons.js';
import { t } from '../text/index.js';

const SHOWN_MS = 6_000;
const TOASTS_MAX = 4;

export class Toasts {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
  }

  /**
   * Shows `text`; the answer takes it away again.
   * @param {string} text
   * @param {{ kind?: 'news' | 'problem', action?: { label: string, run: () => void } }} [options]
   */
  show(text, { kind = 'news', action } = {}) {
    const close = () => {
      clearTimeout(timer);
      toast.remove();
    };
    const act = action && element('button', { type: 'button', class: 'quiet-button', onclick: () => (close(), action.run()) }, action.label);
    const toast = element(
      'div',
      { class: `toast ${kind}`, role: kind === 'problem' ? 'alert' : 'status' },
      icon(kind === 'problem' ? 'circle-alert' : 'check'),
      element('p', {}, text),
      act,
      element('button', { type: 'button', class: 'icon-button', 'aria-label': t('shell.dismiss'), onclick: close }, icon('x')),
    );
    const timer = kind === 'problem' || action ? 0 : setTimeout(close, SHOWN_MS);
    while (this.place.children.length >= TOASTS_MAX) this.place.firstElementChild?.remove();
    this.place.append(toast);
    return close;
  }

  /** What went wrong, in the engine's words. @param {unknown} error */
  problem(error) {
    return this.show(error instanceof Error ? error.message : String(error), { kind: 'problem' });
  }
}
