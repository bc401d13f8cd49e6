// Which model answers: one on this computer, one from a provider whose key is tried at once, or the scripted tour for now.

import { card, choice, during, outcome, pill } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { fetchModels, modelName } from '../../shell/models.js';
import { t } from '../../text/index.js';
import { path } from '../../shell/connection.js';
import { cards } from './cards.js';
import { pull } from './pull.js';

/** The model inside the engine: no network, the same every time. */
export const TOUR = 'scripted/tour';

/** @param {HTMLElement} place @param {import('./index.js').Setup} setup */
export async function model(place, setup) {
  const { api } = setup.app;
  const looking = outcome();
  looking.say('busy', t('setup.model.looking'));
  place.append(looking.node);
  let found;
  try {
    const [models, hardware] = await Promise.all([fetchModels(api), api.get('/api/system/hardware')]);
    found = { ...models, hardware };
  } catch (error) {
    looking.say('bad', error.message);
    return () => false;
  }
  looking.node.remove();
  const best = found.hardware.recommendation;
  const reachable = found.local.ollama.reachable || found.local.lm_studio.reachable;
  const way = setup.answers.way || (reachable ? 'local' : best.cloud_first ? 'key' : 'local');
  const panel = element('div', { class: 'panel' });
  const problem = outcome();
  /** @type {() => Promise<string | null>} answers the model, or `null` when there is something to do first */
  let chosen = async () => null;
  const open = (kind) => {
    setup.keep({ way: kind });
    problem.say('');
    const made = { local: localPanel, key: keyPanel, later: laterPanel }[kind](found, setup, again);
    panel.replaceChildren(made.node);
    chosen = async () => made.chosen(problem.say);
  };
  const again = () => setup.show(2);
  const rows = [
    { value: 'local', icon: 'hard-drive', title: t('setup.model.local'), text: t('setup.model.local.text'), badge: best.cloud_first ? undefined : t('setup.model.private') },
    { value: 'key', icon: 'cloud', title: t('setup.model.key'), text: t('setup.model.key.text') },
    { value: 'later', icon: 'clock', title: t('setup.model.later'), text: t('setup.model.later.text') },
  ];
  place.append(cards('way', t('setup.model.title'), rows, way, open), panel, problem.node);
  open(way);
  return async () => {
    const name = await chosen();
    if (!name) return false;
    try {
      await save(api, name, found);
    } catch (error) {
      problem.say('bad', error.message);
      return false;
    }
    setup.keep({ model: name });
    return true;
  };
}

/** The model for every role that answers; a local one with the context length that suits this computer. */
async function save(api, name, { hardware, providers }) {
  const provider = providers.find(({ id }) => name.startsWith(`${id}/`));
  const small = provider?.suggested.find((model) => model !== name && /mini|haiku|flash|small/.test(model) && !/embed/.test(model));
  await api.call('PUT', '/api/models/roles', { primary: name, fast: small ?? name });
  const best = hardware.recommendation;
  if (name === best.model) await api.call('PATCH', '/api/config', { models: { context_length: best.context_length } });
}

function localPanel(found, setup, again) {
  const best = found.hardware.recommendation;
  const servers = found.known.filter((model) => model.local && !model.embedding);
  const facts = card(
    t('setup.model.computer'),
    element('p', {}, element('b', {}, found.hardware.summary === 'unknown' ? t('setup.model.unknown') : found.hardware.summary)),
    element('p', {}, best.cloud_first ? null : pill(t('setup.model.best'), 'accent'), best.cloud_first ? '' : ' ', best.summary, element('br'), element('span', { class: 'quiet' }, best.note)),
  );
  if (!found.local.ollama.reachable && servers.length === 0) return withoutServer(facts, again);
  const has = servers.some(({ value }) => value === best.model);
  const start = servers.find(({ value }) => value === setup.answers.model) ?? servers.find(({ value }) => value === best.model) ?? servers[0];
  let value = start?.value ?? '';
  const parts = [];
  if (servers.length) {
    const label = (one) => (one.value === best.model ? `${one.label} (${t('setup.model.best')})` : one.label);
    const list = choice(value, servers.map((one) => ({ value: one.value, label: label(one), group: one.group })), (one) => (value = one), { id: 'setup-local' });
    parts.push(element('div', { class: 'field' }, element('label', { for: 'setup-local' }, t('setup.model.have')), list));
  }
  if (!has && found.local.ollama.reachable && !best.cloud_first) parts.push(pull(setup, best.name, again));
  return { node: element('div', {}, facts, ...parts), chosen: async (say) => value || (say('bad', t('setup.model.none')), null) };
}

function withoutServer(facts, again) {
  const link = element('a', { href: 'https://ollama.com/download', target: '_blank', rel: 'noopener noreferrer' }, 'ollama.com/download');
  return {
    node: element(
      'div',
      {},
      facts,
      element('p', {}, t('setup.model.ollama'), ' ', link),
      element('button', { type: 'button', onclick: again }, icon('refresh-cw'), t('setup.model.again')),
    ),
    chosen: async (say) => (say('bad', t('setup.model.unreachable')), null),
  };
}

function keyPanel(found, setup) {
  const { api } = setup.app;
  const providers = found.providers.filter((one) => one.kind === 'cloud' && one.key_required && !one.sign_in);
  let provider = providers.find(({ id }) => setup.answers.model.startsWith(`${id}/`)) ?? providers[0];
  const key = element('input', { id: 'setup-key', type: 'password', autocomplete: 'off', spellcheck: 'false' });
  const where = element('a', { target: '_blank', rel: 'noopener noreferrer' });
  const names = element('select', { id: 'setup-cloud' });
  const tried = outcome();
  let works = '';
  const fill = () => {
    works = '';
    tried.say('');
    where.href = provider.docs_url ?? '';
    where.textContent = t('setup.model.get', { provider: provider.label });
    key.value = '';
    key.placeholder = provider.key_set ? t('setup.model.kept') : '';
    names.replaceChildren(...provider.suggested.filter((one) => !/embed/.test(one)).map((one) => element('option', { value: one }, modelName(one))));
  };
  const test = async () => {
    const given = key.value.trim();
    if (!given && !provider.key_set) return tried.say('bad', t('setup.model.missing'));
    return during(button, tried.say, t('setup.model.testing'), async () => {
      if (given) await api.call('PUT', path`/api/secrets/${provider.id}`, { value: given });
      const result = await api.call('POST', '/api/models/test', { model: names.value, role: 'primary' });
      if (result.ok) {
        works = names.value;
        provider.key_set = true;
        return tried.say('good', t('setup.model.works', { model: modelName(names.value), ms: result.latency_ms ?? 0 }));
      }
      // A key that does not work is not kept.
      if (given) await api.call('DELETE', path`/api/secrets/${provider.id}`);
      return tried.say('bad', result.error ?? t('setup.model.failed'));
    });
  };
  const button = element('button', { type: 'button', onclick: test }, icon('plug'), t('setup.model.test'));
  const list = choice(provider.id, providers.map(({ id, label }) => ({ value: id, label })), (id) => {
    provider = providers.find((one) => one.id === id);
    fill();
  }, { id: 'setup-provider' });
  key.addEventListener('input', () => (works = ''));
  names.addEventListener('change', () => (works = ''));
  fill();
  const field = (id, label, control) => element('div', { class: 'field' }, element('label', { for: id }, label), control);
  return {
    node: element(
      'div',
      {},
      field('setup-provider', t('setup.model.provider'), list),
      field('setup-key', t('setup.model.thekey'), key),
      element('p', { class: 'quiet' }, where, ' · ', t('setup.model.keptwhere')),
      field('setup-cloud', t('setup.model.name'), names),
      element('div', { class: 'row' }, button, tried.node),
    ),
    chosen: async () => {
      if (!works) await test();
      return works || null;
    },
  };
}

function laterPanel() {
  return { node: element('p', { class: 'quiet' }, t('setup.model.tour')), chosen: async () => TOUR };
}
