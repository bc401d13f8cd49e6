// Stop everything: one click in the title bar, one shortcut, and a banner that says it is on and how to go on. It never
// goes through a model.

import { at, t } from '../text/index.js';
import { $, element } from './dom.js';
import { icon } from './icons.js';
import { bind } from './keys.js';

/** @param {import('./app.js').App} app */
export function stopControls(app) {
  const send = async (path) => {
    for (const one of [button, resume]) one.disabled = true;
    try {
      const state = await app.api.call('POST', path, { source: 'desktop' });
      app.store.set('stop', { stopped: state.stopped, stopped_at: state.stopped_at, source: state.source });
    } catch (error) {
      app.toasts.show(error.status === 404 ? t('stop.missing') : error.message, { kind: 'problem' });
    } finally {
      for (const one of [button, resume]) one.disabled = false;
    }
  };
  const stop = () => send('/api/stop-all');
  const button = element('button', { id: 'stop-all', type: 'button', class: 'icon-button stop-all', title: t('stop.all'), 'aria-label': t('stop.all'), onclick: stop }, icon('octagon-pause'));
  const resume = element('button', { id: 'resume', type: 'button', class: 'primary', onclick: () => send('/api/resume') }, icon('play'), t('stop.resume'));
  const text = element('p', {});
  const banner = element('div', { id: 'stop-banner', class: 'banner', role: 'status', hidden: true }, icon('octagon-pause'), text, element('span', { class: 'space' }), resume);
  $('tools').append(button);
  $('banners').append(banner);
  bind({ keys: 'mod+alt+shift+s', label: t('stop.all'), run: stop });
  app.store.watch('stop', ({ stopped, stopped_at: since, source }) => {
    const hadFocus = banner.contains(document.activeElement);
    banner.hidden = !stopped;
    button.hidden = stopped;
    if (stopped) {
      const where = source && ['tray', 'hotkey', 'telegram', 'discord', 'whatsapp', 'device'].includes(source) ? t(/** @type {any} */ (`stop.from.${source}`)) : '';
      text.replaceChildren(element('b', {}, t('stop.on')), ' ', t('stop.on.text'), ' ', element('span', { class: 'quiet' }, [since ? at(since) : '', where].filter(Boolean).join(', ')));
    } else if (hadFocus) {
      button.focus();
    }
  });
}
