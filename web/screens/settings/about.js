// The window itself: its language, its shortcuts, the version of the engine, and what others made.

import { card, choice, line } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { bound, written } from '../../shell/keys.js';
import { LANGUAGES, language, speak, t } from '../../text/index.js';

/** @param {HTMLElement} place @param {import('./index.js').Settings} settings */
export function aboutPage(place, { app }) {
  const { version, home } = app.store.get('bootstrap') ?? {};
  const tongue = choice(language, Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })), speak, { id: 'window-language' });
  place.append(
    card(
      t('about.window'),
      line({ label: t('about.language'), id: 'window-language', description: t('about.language.text'), control: tongue }),
      line({ label: t('about.setup'), description: t('about.setup.text'), control: element('button', { type: 'button', onclick: () => app.router.go('setup') }, t('about.setup.do')) }),
    ),
    card(t('about.keys'), ...bound().map(({ keys, label }) => line({ label, control: element('kbd', {}, written(keys)) }))),
    card(
      t('about.engine'),
      line({ label: t('about.version'), control: element('span', {}, version ?? '') }),
      line({ label: t('about.home'), control: element('code', { class: 'address' }, home ?? '') }),
      line({ label: t('about.others'), description: t('about.others.text'), control: null }),
    ),
  );
}
