// The first minute: who you are, which model answers, how it should be, how memories are found again, and one example
// that works at once. What was answered is kept for the tab until the end, so that a reload costs nothing.

import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { t } from '../../text/index.js';
import { example } from './example.js';
import { memory } from './memory.js';
import { model } from './model.js';
import { manner, person } from './person.js';

const KEPT_AS = 'sentient.setup';

/**
 * @typedef {object} Answers
 * @property {string} user_name
 * @property {string} assistant_name
 * @property {string} location
 * @property {string} professional_context
 * @property {string} personal_context
 * @property {'friendly' | 'professional' | 'concise' | 'custom'} persona
 * @property {string} way how a model was chosen: `local`, `key` or `later`
 * @property {string} model
 * @property {string} embedding
 */

/**
 * A step: `draw` fills the place, and may answer a function that is run before the next step; it answers whether to go on.
 * @typedef {{ name: string, draw: (place: HTMLElement, setup: Setup) => (() => boolean | Promise<boolean>) | void | Promise<(() => boolean | Promise<boolean>) | void> }} Step
 */

/** @type {Step[]} */
const STEPS = [
  { name: 'you', draw: person },
  { name: 'model', draw: model },
  { name: 'manner', draw: manner },
  { name: 'memory', draw: memory },
  { name: 'example', draw: example },
];

/** @param {import('../../shell/app.js').Visit} visit */
export function enter({ app, stage, place, signal }) {
  document.body.classList.add('setting-up');
  signal.addEventListener('abort', () => document.body.classList.remove('setting-up'));
  const setup = new Setup(app, stage, signal);
  setup.show(Number(place.rest[0] ?? 1));
  return { moved: (to) => setup.show(Number(to.rest[0] ?? 1)) };
}

export class Setup {
  /**
   * @param {import('../../shell/app.js').App} app
   * @param {HTMLElement} stage
   * @param {AbortSignal} signal
   */
  constructor(app, stage, signal) {
    this.app = app;
    this.stage = stage;
    this.signal = signal;
    const { assistant, models } = app.store.get('bootstrap') ?? {};
    /** @type {Answers} */
    this.answers = {
      user_name: assistant?.user_name ?? '', assistant_name: assistant?.name ?? 'Sentient', location: assistant?.location ?? '',
      professional_context: '', personal_context: '', persona: 'friendly', way: '', model: '', embedding: models?.embedding ?? '', ...kept(),
    };
  }

  /** @param {Partial<Answers>} answers */
  keep(answers) {
    Object.assign(this.answers, answers);
    sessionStorage.setItem(KEPT_AS, JSON.stringify(this.answers));
  }

  /** @param {number} number of the step, from 1 */
  async show(number) {
    const index = Math.min(Math.max(Number.isInteger(number) ? number - 1 : 0, 0), STEPS.length - 1);
    this.index = index;
    const step = STEPS[index];
    const place = element('div', { class: 'step-body' });
    const next = element('button', { type: 'submit', class: 'primary' }, t('setup.next'), icon('arrow-right'));
    const back = element('button', { type: 'button', onclick: () => this.app.router.go('setup', String(index)) }, t('setup.back'));
    const last = index === STEPS.length - 1;
    /** @type {() => boolean | Promise<boolean>} */
    let leave = () => true;
    const form = element(
      'form',
      {
        class: 'setup',
        novalidate: true,
        onsubmit: async (event) => {
          event.preventDefault();
          next.disabled = true;
          const fine = await leave();
          next.disabled = false;
          if (fine && this.index === index) this.app.router.go('setup', String(index + 2));
        },
      },
      this.#progress(index),
      element('h2', { tabindex: -1 }, t(/** @type {any} */ (`setup.${step.name}.title`))),
      element('p', { class: 'lead' }, t(/** @type {any} */ (`setup.${step.name}.lead`))),
      place,
      element('div', { class: 'row setup-foot' }, index > 0 && back, element('span', { class: 'space' }), !last && next),
    );
    this.stage.replaceChildren(form);
    this.stage.scrollTop = 0;
    const first = /** @type {HTMLElement | null} */ (form.querySelector(index === 0 ? 'input' : 'h2'));
    const given = await step.draw(place, this);
    if (given) leave = given;
    (index === 0 ? /** @type {HTMLElement | null} */ (place.querySelector('input')) : first)?.focus();
  }

  #progress(index) {
    const dots = STEPS.map((_, at) => element('li', { class: at < index ? 'done' : at === index ? 'now' : '' }));
    const said = element('span', { class: 'unseen' }, t('setup.step', { at: index + 1, count: STEPS.length }));
    return element('div', { class: 'setup-head' }, said, element('ol', { class: 'dots', 'aria-hidden': 'true' }, ...dots));
  }

  /** Saves the answers; from now on the window opens with a chat. */
  async finish() {
    const { way: _, model: __, embedding: ___, ...answers } = this.answers;
    await this.app.api.call('POST', '/api/onboarding', { ...answers, timezone: 'auto', daily_brief: false });
    sessionStorage.removeItem(KEPT_AS);
    await this.app.refresh();
  }
}

/** @returns {Partial<Answers>} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS) ?? '{}');
  } catch {
    return {};
  }
}
