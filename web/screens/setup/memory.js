// Which model finds memories again by their meaning.

import { outcome } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { fetchModels, modelName } from '../../shell/models.js';
import { t } from '../../text/index.js';
import { cards } from './cards.js';
import { pull } from './pull.js';

const USUAL = 'ollama/nomic-embed-text';

/** @param {HTMLElement} place @param {import('./index.js').Setup} setup */
export async function memory(place, setup) {
  const { api } = setup.app;
  const said = outcome();
  place.append(said.node);
  said.say('busy', t('setup.model.looking'));
  let found;
  try {
    const [models, hardware] = await Promise.all([fetchModels(api), api.get('/api/system/hardware')]);
    found = { ...models, hardware };
  } catch (error) {
    said.say('bad', error.message);
    return () => true; // it can be chosen at any time
  }
  said.say('');
  const has = (model) => found.known.some(({ value }) => value.replace(/:latest$/, '') === model);
  const rows = [{ value: USUAL, icon: 'brain', title: modelName(USUAL), text: t('setup.memory.usual'), badge: t('setup.model.private') }];
  const more = found.hardware.recommendation.multilingual_embedding;
  if (more) rows.push({ value: more.model, icon: 'languages', title: `${more.name} · ${more.size}`, text: more.note, badge: t('setup.model.private') });
  for (const { value, label, group } of found.known.filter((one) => one.embedding && !rows.some((row) => one.value.startsWith(row.value)))) {
    rows.push({ value, icon: 'cloud', title: label, text: group, badge: '' });
  }
  const panel = element('div', { class: 'panel' });
  const open = (model) => {
    setup.keep({ embedding: model });
    const missing = model.startsWith('ollama/') && !has(model);
    if (!missing) panel.replaceChildren();
    else if (found.local.ollama.reachable) panel.replaceChildren(pull(setup, modelName(model), () => setup.show(4)));
    else panel.replaceChildren(element('p', { class: 'quiet' }, t('setup.memory.later')));
  };
  const chosen = rows.some(({ value }) => value === setup.answers.embedding) ? setup.answers.embedding : USUAL;
  place.append(cards('embedding', t('setup.memory.title'), rows, chosen, open), panel);
  open(chosen);
  return async () => {
    try {
      await api.call('PUT', '/api/models/roles', { embedding: setup.answers.embedding });
      return true;
    } catch (error) {
      said.say('bad', error.message);
      return false;
    }
  };
}
