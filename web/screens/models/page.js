// Models: which one does what, whether each works, what this computer can run, and where keys come from. A page of the
// settings.

import { card, during, freshId, outcome, pill } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { fetchModels, modelName, modelPicker } from '../../shell/models.js';
import { hashOf } from '../../shell/router.js';
import { number, t } from '../../text/index.js';
import { pull } from '../setup/pull.js';

const ROLES = ['primary', 'fast', 'planner', 'executor', 'vision', 'voice', 'embedding'];
/** Roles that need a model of their own; the others use the primary one. */
const NEEDED = ['primary', 'fast', 'embedding'];

/** @param {HTMLElement} place @param {import('../settings/index.js').Settings} settings @param {AbortSignal} signal */
export async function modelsPage(place, settings, signal) {
  const { api, app } = settings;
  const roles = element('div');
  const local = element('div');
  const providers = element('div');
  place.append(element('p', { class: 'lead' }, t('models.lead')), roles, local, providers);
  const rest = element('div');
  settings.section(rest, 'models');
  rest.querySelector('.lead')?.remove();
  place.append(rest);
  /** @type {{ node: HTMLElement, update: (known: any[]) => void }[]} */
  const lines = [];
  const draw = async () => {
    const found = await fetchModels(api);
    if (signal.aborted) return;
    settings.models = found;
    if (lines.length === 0) {
      lines.push(...ROLES.map((role) => roleLine(role, settings)));
      roles.replaceChildren(card(t('models.roles'), ...lines.map(({ node }) => node)));
    }
    for (const { update } of lines) update(found.known);
    providers.replaceChildren(providerCard(found.providers));
    const hardware = await api.get('/api/system/hardware', signal).catch(() => null);
    if (!signal.aborted && !local.querySelector('progress:not([hidden])')) local.replaceChildren(localCard(found, hardware, { app, signal }, () => draw().catch(() => {})));
  };
  settings.drawn.add(() => lines.forEach(({ update }) => update(settings.models?.known ?? [])));
  app.on('config.updated', () => draw().catch(() => {}), signal); // the next change draws it
  try {
    await draw();
  } catch (error) {
    if (!signal.aborted) app.toasts.problem(error);
  }
}

/** A role; `update` brings its list in line with what is known and chosen now, and leaves what a test said where it is. */
function roleLine(role, settings) {
  const { api } = settings;
  const id = freshId('role');
  const said = outcome();
  let model = null;
  let drawn = '';
  const changed = async (chosen) => {
    model = chosen;
    await during(test, said.say, t('settings.saving'), async () => {
      await api.call('PUT', '/api/models/roles', { [role]: chosen });
      said.say('good', t('settings.saved'));
    });
  };
  const place = element('div');
  const update = (known) => {
    const now = settings.config.models.roles[role] ?? null;
    const text = JSON.stringify([now, known]);
    if (drawn === text || place.contains(document.activeElement)) return;
    drawn = text;
    model = now;
    place.replaceChildren(modelPicker({ value: model, known, embedding: role === 'embedding', none: NEEDED.includes(role) ? undefined : t('models.main'), id, changed }));
  };
  const run = () => during(test, said.say, t('setup.model.testing'), async () => {
    const name = model ?? settings.config.models.roles.primary;
    const result = role === 'embedding'
      ? await api.call('POST', '/api/models/test-embedding', { model: name })
      : await api.call('POST', '/api/models/test', { model: name, role });
    if (!result.ok) return said.say('bad', result.error ?? t('setup.model.failed'));
    if (role === 'embedding') return said.say('good', t('models.embeds', { dim: result.dim ?? 0 }));
    const tools = result.supports_tools === false ? t('models.notools') : t('models.tools');
    return said.say(result.supports_tools === false ? 'bad' : 'good', `${t('setup.model.works', { model: modelName(name), ms: result.latency_ms ?? 0 })} ${result.supports_tools === undefined ? '' : tools}`);
  });
  const test = element('button', { type: 'button', 'aria-label': t('models.test.of', { role: t(/** @type {any} */ (`models.role.${role}`)) }), onclick: run }, t('models.test'));
  const node = element(
    'div',
    { class: 'line', 'data-role': role },
    element('div', { class: 'line-words' }, element('label', { class: 'line-label', for: id }, t(/** @type {any} */ (`models.role.${role}`))), element('p', { class: 'line-text' }, t(/** @type {any} */ (`models.role.${role}.text`)))),
    element('div', { class: 'line-control' }, place, test),
    said.node,
  );
  return { node, update };
}

function localCard({ local, known }, hardware, where, done) {
  const best = hardware?.recommendation;
  const rows = [];
  if (hardware) {
    rows.push(element('p', {}, element('b', {}, hardware.summary === 'unknown' ? t('setup.model.unknown') : hardware.summary),
      element('br'), element('span', { class: 'quiet' }, `${t('setup.model.best')}: ${best.summary}. ${best.note}`)));
  }
  for (const [id, name] of [['ollama', 'Ollama'], ['lm_studio', 'LM Studio']]) {
    const server = local[id];
    const models = server.models.map((model) => element('li', {}, element('span', {}, model.name), ' ', element('span', { class: 'quiet' },
      [model.parameter_size, model.size ? t('models.size', { gb: Math.round(model.size / 1e8) / 10 }) : '', model.is_embedding ? t('models.embedding') : ''].filter(Boolean).join(' · '))));
    rows.push(element('div', { class: 'line' }, element('div', { class: 'line-words' }, element('div', { class: 'line-label' }, name), models.length ? element('ul', { class: 'plain' }, ...models) : null),
      element('div', { class: 'line-control' }, server.reachable ? pill(t('models.up'), 'good') : pill(t('models.down')))));
  }
  if (best && local.ollama.reachable) rows.push(element('div', { class: 'line' }, pullForm(known, best, where, done)));
  return card(t('setup.model.computer'), ...rows);
}

/** Downloads the recommended model, or any other by its name. */
function pullForm(known, best, where, done) {
  const place = element('div', { class: 'pull-place' });
  const box = element('input', { type: 'text', 'aria-label': t('models.pull.name'), placeholder: t('models.pull.name'), spellcheck: 'false', autocomplete: 'off' });
  if (!best.cloud_first && !known.some(({ value }) => value === best.model)) box.value = best.name;
  const begin = (event) => {
    event.preventDefault();
    const name = box.value.trim();
    if (!name) return;
    place.replaceChildren(pull(where, name, done));
    place.querySelector('button')?.click();
  };
  return element('form', { class: 'row', onsubmit: begin }, box, element('button', { type: 'submit' }, icon('download'), t('models.pull.do')), place);
}

function providerCard(providers) {
  const rows = providers.filter((one) => one.kind === 'cloud').map((one) => element(
    'div',
    { class: 'line' },
    element('div', { class: 'line-words' }, element('div', { class: 'line-label' }, one.label), element('p', { class: 'line-text' }, one.suggested.map(modelName).join(', '))),
    element('div', { class: 'line-control' }, one.key_set ? pill(t('models.ready'), 'good') : pill(t('models.nokey')), element('a', { class: 'button', href: hashOf('settings', 'keys'), 'aria-label': t('models.key.of', { name: one.label }) }, t('models.key'))),
  ));
  const ready = providers.filter((one) => one.kind === 'cloud' && one.key_set).length;
  return element('details', { class: 'providers', open: ready > 0 }, element('summary', {}, t('models.providers', { ready: number(ready), count: rows.length })), card(null, ...rows));
}
