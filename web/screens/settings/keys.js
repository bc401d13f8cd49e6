// Keys of providers and services. A key goes in and never comes out: the page knows only whether there is one.

import { card, during, freshId, outcome, pill } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { confirm } from '../../shell/dialogs.js';
import { element } from '../../shell/dom.js';
import { t } from '../../text/index.js';
import { labelOf } from './schema.js';

/** @param {HTMLElement} place @param {import('./index.js').Settings} settings @param {AbortSignal} signal */
export async function keysPage(place, settings, signal) {
  const { api, app } = settings;
  const providers = element('div');
  place.append(element('p', { class: 'lead' }, t('keys.lead')), providers);
  const draw = async () => {
    let rows;
    let known;
    try {
      [rows, known] = await Promise.all([api.get('/api/secrets', signal), api.get('/api/models/providers', signal)]);
    } catch (error) {
      if (!signal.aborted) app.toasts.problem(error);
      return;
    }
    if (providers.contains(document.activeElement) && /** @type {any} */ (document.activeElement)?.value) return; // somebody is writing
    const of = (kind) => rows.filter((row) => row.kind === kind && row.name !== 'chatgpt').map((row) => keyLine(row, known.find(({ id }) => id === row.name), settings, draw));
    const groups = [[t('keys.providers'), of('provider')], [t('keys.services'), of('integration')]];
    providers.replaceChildren(...groups.filter(([, lines]) => lines.length).map(([title, lines]) => card(/** @type {string} */ (title), .../** @type {Node[]} */ (lines))));
  };
  app.on('config.updated', draw, signal);
  await draw();
}

function keyLine({ name, set, source }, provider, { api }, draw) {
  const id = freshId('key');
  const label = provider?.label ?? labelOf(name.replace(/^\w+:/, ''));
  const said = outcome();
  const box = element('input', { id, type: 'password', autocomplete: 'off', spellcheck: 'false', placeholder: set ? t('keys.replace') : t('keys.paste') });
  const save = async (event) => {
    event.preventDefault();
    if (!box.value.trim()) return;
    await during(button, said.say, t('settings.saving'), async () => {
      await api.call('PUT', path`/api/secrets/${name}`, { value: box.value.trim() });
      box.value = '';
      box.blur();
      said.say('good', t('settings.saved'));
      await draw();
    });
  };
  const remove = async () => {
    if (!(await confirm(t('keys.remove.ask', { name: label }), t('keys.remove')))) return;
    await during(button, said.say, t('settings.saving'), async () => {
      await api.call('DELETE', path`/api/secrets/${name}`);
      await draw();
    });
  };
  const button = element('button', { type: 'submit' }, t('keys.save'));
  const state = source === 'env' ? pill(t('keys.env'), 'good') : set ? pill(t('keys.set'), 'good') : pill(t('keys.unset'));
  const link = provider?.docs_url ? element('a', { href: provider.docs_url, target: '_blank', rel: 'noopener noreferrer', class: 'quiet' }, t('keys.get')) : null;
  return element(
    'form',
    { class: 'line key', onsubmit: save, 'data-name': name },
    element('div', { class: 'line-words' }, element('label', { class: 'line-label', for: id }, label), ' ', state, ' ', link),
    element('div', { class: 'line-control' }, box, button, set && source !== 'env' && element('button', { type: 'button', class: 'stop', 'aria-label': t('keys.remove.of', { name: label }), onclick: remove }, t('keys.remove'))),
    said.node,
  );
}
