// The model of one chat (contract section 2, "The chat's model"): the default, or one of those that can be used now. The
// default itself is changed in the settings.

import { $, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';

/** `ollama_chat/qwen3:8b` as people call it. @param {string | null | undefined} model */
export const modelName = (model) => model?.split('/').at(-1) ?? '';

/**
 * What can be chosen: models of servers on this computer, and those the connected providers suggest.
 * @param {any} local `GET /api/models/local`
 * @param {any[]} providers `GET /api/models/providers`
 * @returns {{ model: string, where: string }[]}
 */
export function choices(local, providers) {
  const here = [['ollama_chat', local?.ollama], ['lm_studio', local?.lm_studio]].flatMap(([prefix, server]) =>
    (server?.models ?? []).filter((model) => !model.is_embedding).map((model) => ({ model: `${prefix}/${model.name}`, where: 'local' })));
  const known = new Set(here.map(({ model }) => model));
  const away = (providers ?? []).filter((one) => one.kind === 'cloud' && (one.key_set || !one.key_required))
    .flatMap((one) => (one.suggested ?? []).filter((model) => !/embed/.test(model)).map((model) => ({ model, where: one.label })));
  return [...here, ...away.filter(({ model }) => !known.has(model) && known.add(model))];
}

export class ModelPicker {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ current: () => { id: string | null, model: string | null, primary: string }, pick: (model: string | null) => void }} on
   */
  constructor(api, on) {
    this.api = api;
    this.on = on;
    $('chat-model').addEventListener('click', () => this.show());
  }

  draw() {
    const { model, primary } = this.on.current();
    const used = model ?? primary;
    $('chat-model-name').textContent = modelName(used) || t('chat.model.none');
    $('chat-model').setAttribute('aria-label', t('chat.model.of', { model: modelName(used) || t('chat.model.none') }));
    $('chat-model').title = model ? t('chat.model.own', { model }) : t('chat.model.default', { model: primary || t('chat.model.none') });
    $('chat-model').classList.toggle('own', Boolean(model));
  }

  async show() {
    const { model, primary } = this.on.current();
    const list = element('div', { class: 'model-list', role: 'radiogroup', 'aria-label': t('chat.model') }, element('p', { class: 'quiet' }, t('chat.model.looking')));
    const dialog = element('dialog', { class: 'dialog model-dialog', 'aria-labelledby': 'model-question' },
      element('h2', { id: 'model-question' }, t('chat.model.question')), list,
      element('div', { class: 'row answers' }, element('button', { type: 'button', onclick: () => dialog.close() }, t('shell.cancel'))));
    dialog.addEventListener('close', () => dialog.remove());
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
    const [local, providers] = await Promise.all(['/api/models/local', '/api/models/providers'].map((address) => this.api.get(address).catch(() => null)));
    if (!dialog.isConnected) return;
    const rows = choices(local, providers);
    if (model && !rows.some((row) => row.model === model)) rows.unshift({ model, where: '' });
    const pick = (value) => {
      dialog.close();
      this.on.pick(value);
    };
    list.replaceChildren(
      this.option(t('chat.model.useDefault'), modelName(primary), model === null, () => pick(null)),
      ...rows.map((row) => this.option(modelName(row.model), row.where === 'local' ? t('chat.model.here') : row.where, model === row.model, () => pick(row.model))),
    );
    /** @type {HTMLElement | null} */ (list.querySelector('[aria-checked="true"]'))?.focus();
  }

  option(name, where, chosen, run) {
    return element('button', { type: 'button', role: 'radio', 'aria-checked': String(chosen), onclick: run },
      icon(chosen ? 'check' : 'cpu'), element('span', {}, name), element('span', { class: 'quiet' }, where));
  }
}
