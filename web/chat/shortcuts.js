// The keys of the chat screen. The window's list of shortcuts shows them.

import { bind } from '../shell/keys.js';
import { t } from '../text/index.js';
import { showKeys } from './help.js';

/**
 * @param {Record<'newChat' | 'incognito' | 'search' | 'rename' | 'model' | 'attach' | 'helpers' | 'question' | 'write', () => void> & { next: (step: number) => void }} run
 * @param {AbortSignal} signal
 */
export function bindKeys(run, signal) {
  const rows = /** @type {[string, string, () => void][]} */ ([
    ['alt+n', t('chat.new'), run.newChat],
    ['alt+i', t('chat.incognito'), run.incognito],
    ['alt+f', t('chat.search'), run.search],
    ['alt+arrowup', t('chat.key.previous'), () => run.next(-1)],
    ['alt+arrowdown', t('chat.key.next'), () => run.next(1)],
    ['alt+r', t('chat.rename'), run.rename],
    ['alt+m', t('chat.model.question'), run.model],
    ['alt+a', t('chat.attach'), run.attach],
    ['alt+h', t('helpers.title'), run.helpers],
    ['alt+o', t('chat.key.question'), run.question],
    ['/', t('chat.key.write'), run.write],
    ['?', t('chat.help'), showKeys],
  ]);
  for (const [keys, label, job] of rows) bind({ keys, label, run: job }, signal);
}
