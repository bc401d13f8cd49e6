// What models there are to choose from, as the engine found them: those of the servers on this computer, and those each
// provider with a key suggests. No list is kept here.

import { t } from '../text/index.js';
import { choice } from './controls.js';
import { element } from './dom.js';

const OTHER = '\u0000other';
const NONE = '\u0000none';

/** @typedef {{ value: string, label: string, group: string, embedding: boolean, local: boolean }} Known */

/**
 * @param {any} local `GET /api/models/local`
 * @param {any[]} providers `GET /api/models/providers`
 * @returns {Known[]}
 */
export function knownModels(local, providers) {
  /** @type {Known[]} */
  const known = [];
  for (const [id, prefix, label] of [['ollama', 'ollama_chat', 'Ollama'], ['lm_studio', 'lm_studio', 'LM Studio']]) {
    for (const { name, is_embedding: embedding } of local?.[id]?.models ?? []) {
      const start = embedding && id === 'ollama' ? 'ollama' : prefix;
      known.push({ value: `${start}/${name}`, label: name, group: label, embedding: Boolean(embedding), local: true });
    }
  }
  for (const { label, kind, key_set: ready, suggested } of providers ?? []) {
    if (kind !== 'cloud' || !ready) continue;
    for (const model of suggested) {
      known.push({ value: model, label: model.split('/').slice(1).join('/'), group: label, embedding: /embed/.test(model), local: false });
    }
  }
  return known;
}

/** Everything a picker needs, fetched together. @param {import('./connection.js').Api} api */
export async function fetchModels(api) {
  const [local, providers] = await Promise.all([api.get('/api/models/local'), api.get('/api/models/providers')]);
  return { local, providers, known: knownModels(local, providers) };
}

/** `ollama_chat/qwen3:8b` as people say it. @param {string} model */
export const modelName = (model) => model.split('/').slice(1).join('/') || model;

/**
 * A list of models, with a way to write another one.
 * @param {{ value: string | null, known: Known[], embedding?: boolean, none?: string, id: string, changed: (model: string | null) => void }} options
 *   `none` is the label of choosing none
 */
export function modelPicker({ value, known, embedding = false, none, id, changed }) {
  const fitting = known.filter((model) => model.embedding === embedding);
  const options = fitting.map(({ value: one, label, group }) => ({ value: one, label, group }));
  if (value && !fitting.some((model) => model.value === value)) options.unshift({ value, label: value, group: t('models.now') });
  const written = element('input', {
    type: 'text', hidden: true, 'aria-label': t('models.write'), placeholder: 'provider/model', spellcheck: 'false', autocomplete: 'off',
    onchange: () => written.value.trim() && changed(written.value.trim()),
  });
  const list = choice(
    value ?? (none ? NONE : ''),
    [
      ...(none ? [{ value: NONE, label: none }] : value ? [] : [{ value: '', label: t('models.choose') }]),
      ...options,
      { value: OTHER, label: t('models.other') },
    ],
    (one) => {
      written.hidden = one !== OTHER;
      if (one === OTHER) written.focus();
      else if (one !== '') changed(one === NONE ? null : one);
    },
    { id },
  );
  return element('div', { class: 'model-picker' }, list, written);
}
