// Says when the chosen model cannot answer because it is not there, and offers those that are. It looks only at servers
// on this computer, through the engine; it calls no model.

import { element } from '../shell/dom.js';
import { t } from '../text/index.js';

const OLLAMA = /^ollama(?:_chat)?\/(.+)$/;

/**
 * Whether the servers on this computer have `primary`; `{text, choices}` when something is to be said, else null.
 * @param {string | null | undefined} primary
 * @param {any} local
 */
export function modelHint(primary, local) {
  const servers = [['ollama_chat', local?.ollama], ['lm_studio', local?.lm_studio]];
  const choices = servers.flatMap(([prefix, server]) => (server?.models ?? [])
    .filter((model) => !model.is_embedding)
    .map((model) => `${prefix}/${model.name}`));
  if (!primary) return { text: t('chat.hint.none'), choices };
  const wanted = OLLAMA.exec(primary)?.[1];
  if (!wanted) return null;
  if (!local?.ollama?.reachable) return { text: t('chat.hint.silent', { model: primary }), choices };
  const names = local.ollama.models.map((model) => model.name);
  if (names.includes(wanted) || names.includes(`${wanted}:latest`)) return null;
  const offer = choices.length ? ` ${t('chat.hint.choose')}` : '';
  return { text: t('chat.hint.missing', { model: wanted }) + offer, choices };
}

export class ModelHint {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ hint: HTMLElement, text: HTMLElement, form: HTMLFormElement, choice: HTMLSelectElement }} parts
   */
  constructor(api, { hint, text, form, choice }) {
    this.api = api;
    this.hint = hint;
    this.text = text;
    this.form = form;
    this.choice = choice;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.choose(choice.value);
    });
  }

  /** Looks anew. A part the engine does not have yet is no reason for a hint. @param {any} [bootstrap] */
  async look(bootstrap) {
    try {
      const { models } = bootstrap ?? (await this.api.get('/api/bootstrap'));
      const isLocal = !models?.primary || OLLAMA.test(models.primary);
      this.show(isLocal ? modelHint(models?.primary, await this.api.get('/api/models/local')) : null);
    } catch {
      this.show(null);
    }
  }

  show(found) {
    this.hint.hidden = found === null;
    if (!found) return;
    this.text.textContent = found.text;
    this.form.hidden = found.choices.length === 0;
    this.choice.replaceChildren(...found.choices.map((name) => element('option', { value: name }, name)));
  }

  async choose(model) {
    try {
      await this.api.call('PATCH', '/api/config', { models: { roles: { primary: model } } });
      await this.look();
    } catch (error) {
      this.text.textContent = error.message;
    }
  }
}
