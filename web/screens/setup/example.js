// The end of the set-up: something that works at once, with the model that was chosen.

import { outcome } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { t } from '../../text/index.js';
import { TOUR } from './model.js';

/** What the scripted tour knows an answer to; it is fixed in the engine and in English. */
const OF_THE_TOUR = ['Show me how a reply streams', 'Show me a tool at work', 'Show me a question before something is changed'];

/** @param {HTMLElement} place @param {import('./index.js').Setup} setup */
export function example(place, setup) {
  const said = outcome();
  const examples = setup.answers.model === TOUR ? OF_THE_TOUR : [t('setup.example.week'), t('setup.example.time'), t('setup.example.note')];
  const go = async (text) => {
    said.say('busy', t('setup.example.saving'));
    try {
      await setup.finish();
    } catch (error) {
      said.say('bad', error.message);
      return;
    }
    setup.app.router.go('chat');
    if (text) setup.app.say(text);
  };
  place.append(
    element('div', { class: 'examples' }, ...examples.map((text) =>
      element('button', { type: 'button', class: 'example', onclick: () => go(text) }, icon('message-circle'), element('span', {}, text), icon('arrow-right')))),
    said.node,
    element('button', { type: 'button', class: 'quiet-button', onclick: () => go('') }, t('setup.example.skip')),
  );
}
