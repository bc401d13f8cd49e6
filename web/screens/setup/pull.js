// Downloads a model with Ollama and shows how far it is.

import { outcome } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { t } from '../../text/index.js';

/**
 * @param {{ app: import('../../shell/app.js').App, signal: AbortSignal }} where
 * @param {string} name of the model, as Ollama calls it
 * @param {() => void} done
 */
export function pull({ app, signal }, name, done) {
  const said = outcome();
  const bar = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('models.pull', { model: name }) });
  const start = async () => {
    button.disabled = true;
    bar.hidden = false;
    let failed = '';
    try {
      await app.api.lines('POST', '/api/models/ollama/pull', { name }, (line) => {
        if (line.error) failed = String(line.error);
        said.say('busy', line.status ?? '');
        if (line.total) bar.value = (line.completed ?? 0) / line.total;
      }, signal);
      if (failed) throw new Error(failed);
      done();
    } catch (error) {
      if (signal.aborted) return;
      said.say('bad', error.message);
      bar.hidden = true;
      button.disabled = false;
    }
  };
  const button = element('button', { type: 'button', onclick: start }, icon('download'), t('models.pull', { model: name }));
  return element('div', { class: 'pull' }, button, bar, said.node);
}
