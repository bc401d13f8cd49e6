// The beginning: takes the token, and opens the window or asks for it.

import { t, language } from '../text/index.js';
import { App } from './app.js';
import { forgetToken, keepToken, takeToken } from './connection.js';
import { $, element } from './dom.js';
import { installable, isInstalled } from './install.js';
import * as keys from './keys.js';

/** Asks for the token; `problem` says why the one that was given does not open the window. @param {string} problem */
function lock(problem) {
  if (!$('locked').hidden) return; // it asks already
  const field = element('input', { id: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true });
  const keep = element('input', { type: 'checkbox' });
  keep.checked = isInstalled();
  const open = (event) => {
    event.preventDefault();
    keepToken(field.value.trim(), keep.checked);
    location.reload();
  };
  $('window').hidden = true;
  $('locked').hidden = false;
  $('locked').replaceChildren(
    element('h1', {}, t('app.name')),
    element('p', {}, t('locked.text')),
    element(
      'form',
      { id: 'unlock', onsubmit: open },
      element('label', { for: 'token' }, t('locked.token')),
      field,
      element('label', { class: 'row' }, keep, t('locked.keep')),
      element('button', { class: 'primary', type: 'submit' }, t('locked.open')),
    ),
    element('p', { id: 'unlock-problem', class: 'problem', role: 'alert' }, problem),
  );
  field.focus();
}

document.documentElement.lang = language;
const token = takeToken();
if (token === '') {
  lock('');
} else {
  keys.listen();
  const refused = () => {
    forgetToken();
    lock(t('locked.refused'));
  };
  const app = new App(token, { denied: refused });
  app.start().catch((error) => (error.status === 401 ? refused() : lock(error.message)));
  installable(app);
}
