// Who you are, and how the assistant should be.

import { element } from '../../shell/dom.js';
import { LANGUAGES, language, speak, t } from '../../text/index.js';
import { choice } from '../../shell/controls.js';
import { cards } from './cards.js';

/** @param {HTMLElement} place @param {import('./index.js').Setup} setup */
export function person(place, setup) {
  const text = (name, label, options = {}) => {
    const id = `setup-${name}`;
    const box = element(options.long ? 'textarea' : 'input', {
      id, rows: options.long ? 2 : false, type: options.long ? false : 'text', maxlength: options.long ? 2000 : 60, autocomplete: options.fill ?? 'off',
      placeholder: options.hint ?? false, oninput: () => setup.keep({ [name]: box.value }),
    });
    box.value = setup.answers[name];
    return element('div', { class: 'field' }, element('label', { for: id }, label), box);
  };
  const tongue = choice(language, Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })), speak, { id: 'setup-language' });
  place.append(
    text('user_name', t('setup.you.name'), { fill: 'given-name' }),
    text('assistant_name', t('setup.you.assistant')),
    element('div', { class: 'field' }, element('label', { for: 'setup-language' }, t('setup.you.language')), tongue),
    element(
      'details',
      { class: 'more' },
      element('summary', {}, t('setup.you.more')),
      text('location', t('setup.you.location'), { hint: t('setup.you.location.hint') }),
      text('professional_context', t('setup.you.work'), { long: true }),
      text('personal_context', t('setup.you.life'), { long: true }),
    ),
  );
  return () => {
    setup.keep({ assistant_name: setup.answers.assistant_name.trim() || 'Sentient', user_name: setup.answers.user_name.trim() });
    return true;
  };
}

/** @param {HTMLElement} place @param {import('./index.js').Setup} setup */
export function manner(place, setup) {
  const rows = /** @type {const} */ (['friendly', 'professional', 'concise', 'custom']).map((value) => ({
    value,
    icon: { friendly: 'sparkles', professional: 'book-open', concise: 'zap', custom: 'pencil' }[value],
    title: t(/** @type {any} */ (`setup.manner.${value}`)),
    text: t(/** @type {any} */ (`setup.manner.${value}.text`), { home: setup.app.store.get('bootstrap')?.home ?? '' }),
  }));
  place.append(cards('persona', t('setup.manner.title'), rows, setup.answers.persona, (persona) => setup.keep({ persona: /** @type {any} */ (persona) })));
}
