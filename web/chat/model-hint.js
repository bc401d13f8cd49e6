// Says when the chosen model cannot answer because it is not there, and offers those that are. It looks only at servers
// on this computer, through the engine; it calls no model.

import { element } from '../shell/dom.js';

const OLLAMA = /^ollama(?:_chat)?\/(.+)$/;

/** Whether the servers on this computer have `primary`; `{text, choices}` when something is to be said, else null. */
export function modelHint(primary, local) {
  const servers = [['ollama_chat', local?.ollama], ['lm_studio', local?.lm_studio]];
  const choices = servers.flatMap(([prefix, server]) => (server?.models ?? [])
    .filter((model) => !model.is_embedding)
    .map((model) => `${prefix}/${model.name}`));
  if (!primary) return { text: 'No model is chosen yet.', choices };
  const wanted = OLLAMA.exec(primary)?.[1];
  if (!wanted) return null;
  const offer = choices.length ? ' Choose one that is on this computer:' : '';
  if (!local?.ollama?.reachable) {
    return { text: `${primary} runs in Ollama, and Ollama does not answer. Start it, or choose another model.`, choices };
  }
  const names = local.ollama.models.map((model) => model.name);
  if (names.includes(wanted) || names.includes(`${wanted}:latest`)) return null;
  return { text: `${wanted} is not downloaded. Download it with "ollama pull ${wanted}".${offer}`, choices };
}

export class ModelHint {
  constructor(api, { hint, text, form, choice }) {
    this.api = api;
    this.hint = hint;
    this.text = text;
    this.form = form;
    this.choice = choice;
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.choose(this.choice.value);
    });
  }

  /** Looks anew. A part the engine does not have yet is no reason for a hint. */
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
