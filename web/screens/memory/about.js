// What Sentient works out about the person (contract section 15, "User model"): a portrait, questions that are open, and
// insights with how sure they are. What the person says always counts more than what was worked out.

import { card, choice, freshId, nothing, pill } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { confirm } from '../../shell/dialogs.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { prose } from '../../chat/prose.js';
import { plainly } from '../../chat/plain.js';
import { ago, at, t } from '../../text/index.js';
import { sureness } from './words.js';

const DIMENSIONS = ['preferences', 'communication', 'goals', 'routines', 'relationships', 'values', 'work_style', 'dislikes', 'context'];
const dimensionName = (name) => t(/** @type {any} */ (`about.${DIMENSIONS.includes(name) ? name : 'context'}`));

/**
 * @param {import('./index.js').Memory} memory
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function aboutPage(memory, place, signal) {
  const about = new About(memory, place, signal);
  await about.fetch();
  memory.anew.add(() => about.fetch().catch(() => {})); // the next news, or the next connection, brings it
}

class About {
  constructor(memory, place, signal) {
    this.memory = memory;
    this.api = memory.api;
    this.place = place;
    this.signal = signal;
    this.writing = 0;
  }

  async fetch() {
    const model = await this.api.get('/api/user-model', this.signal);
    if (this.writing === 0 && !/^(TEXTAREA|INPUT)$/.test(this.place.contains(document.activeElement) ? document.activeElement?.tagName ?? '' : '')) this.draw(model);
  }

  draw({ summary = '', updated_at: updated, insights = [], questions = [] }) {
    const portrait = element('div', { class: 'prose portrait' });
    portrait.append(summary ? prose(summary, { fileAddress: (name) => this.api.fileAddress(name) }) : element('p', { class: 'quiet' }, t('about.none')));
    const refresh = element('button', { type: 'button', class: 'small', onclick: () => this.do(refresh, () => this.api.call('POST', '/api/user-model/refresh'), t('about.refreshed')) }, icon('refresh-cw'), t('about.refresh'));
    const groups = DIMENSIONS.map((name) => [name, insights.filter(({ dimension, status }) => status !== 'retired' && (DIMENSIONS.includes(dimension) ? dimension : 'context') === name)]).filter(([, list]) => list.length);
    const retired = insights.filter(({ status }) => status === 'retired');
    this.place.replaceChildren(
      card(t('about.portrait'), portrait, element('p', { class: 'row quiet' }, updated ? element('time', { datetime: updated, title: at(updated) }, ago(updated)) : null, element('span', { class: 'space' }), refresh)),
      questions.length ? card(t('about.questions'), ...questions.map((one) => this.question(one))) : '',
      ...groups.map(([name, list]) => card(dimensionName(/** @type {string} */ (name)), .../** @type {any[]} */ (list).map((one) => this.insight(one)))),
      insights.length ? '' : nothing('user', t('about.noinsights')),
      this.adding(),
      retired.length ? element('details', { class: 'retired' }, element('summary', {}, t('about.retired', { count: retired.length })), card(null, ...retired.map((one) => this.insight(one)))) : '',
    );
  }

  /** @param {any} button @param {() => Promise<any>} job @param {string} said */
  async do(button, job, said) {
    if (button) button.disabled = true;
    const done = await this.memory.tried(job);
    if (button) button.disabled = false;
    if (done) this.memory.app.toasts.show(said);
    await this.fetch().catch(() => {});
    return Boolean(done);
  }

  question({ id, question }) {
    const field = freshId('answer');
    const box = element('input', { id: field, type: 'text', autocomplete: 'off' });
    return element('form', { class: 'line', onsubmit: (event) => {
      event.preventDefault();
      const answer = box.value.trim();
      if (!answer) return;
      box.blur();
      this.do(event.submitter, () => this.api.call('POST', path`/api/user-model/questions/${String(id)}`, { answer }), t('about.answered'));
    } }, element('label', { class: 'line-words', for: field }, plainly(question)), element('div', { class: 'line-control' }, box, element('button', { type: 'submit', class: 'primary' }, t('about.answer')),
      element('button', { type: 'button', class: 'icon-button', title: t('about.dismiss'), 'aria-label': t('memory.do.of', { action: t('about.dismiss'), content: question }), onclick: (event) => this.do(event.currentTarget, () => this.api.call('DELETE', path`/api/user-model/questions/${String(id)}`), t('about.dismissed')) }, icon('x'))));
  }

  insight(one) {
    const text = plainly(one.statement);
    const address = path`/api/user-model/insights/${String(one.id)}`;
    const button = (name, picture, run) => element('button', { type: 'button', class: 'icon-button', title: t(/** @type {any} */ (`about.do.${name}`)), 'aria-label': t('memory.do.of', { action: t(/** @type {any} */ (`about.do.${name}`)), content: text.slice(0, 60) }), onclick: run }, icon(picture));
    const status = (value, said) => (event) => this.do(event.currentTarget, () => this.api.call('PATCH', address, { status: value }), said);
    const pills = { confirmed: pill(t('about.confirmed'), 'good'), disputed: pill(t('about.disputed'), 'warn') };
    const evidence = (one.evidence ?? []).filter(({ quote }) => quote);
    const node = element('div', { class: 'line', 'data-insight': one.id },
      element('div', { class: 'line-words' }, element('p', { class: 'memory-text as-written' }, text),
        element('p', { class: 'memory-meta quiet' }, pills[one.status] ?? null, one.source === 'user' ? t('about.fromyou') : sureness(one.confidence)),
        evidence.length ? element('details', {}, element('summary', {}, t('about.evidence', { count: evidence.length })), element('ul', { class: 'memory-sources' }, ...evidence.map(({ quote, at: time }) =>
          element('li', {}, icon('message-circle'), element('div', {}, element('blockquote', { class: 'as-written' }, plainly(quote)), time ? element('time', { class: 'quiet', datetime: time }, ago(time)) : null))))) : null),
      element('div', { class: 'line-control' },
        one.status === 'confirmed' ? null : button('confirm', 'thumbs-up', status('confirmed', t('about.said'))),
        one.status === 'retired' ? null : button('retire', 'thumbs-down', status('retired', t('about.said'))),
        button('edit', 'pencil', () => this.edit(node, one)),
        button('delete', 'trash', async (event) => {
          const pressed = event.currentTarget;
          if (await confirm(t('about.delete.ask'), t('memory.delete.yes'), [`“${text}”`])) this.do(pressed, () => this.api.call('DELETE', address), t('memory.deleted'));
        })));
    return node;
  }

  edit(node, one) {
    this.writing += 1;
    const field = element('textarea', { rows: 2, 'aria-label': t('memory.words') });
    field.value = one.statement;
    const end = () => {
      this.writing -= 1;
      field.blur();
      this.fetch().catch(() => {});
    };
    node.replaceChildren(element('form', { class: 'memory-edit', onkeydown: (event) => event.key === 'Escape' && end(), onsubmit: async (event) => {
      event.preventDefault();
      const statement = field.value.trim();
      if (!statement) return;
      if (await this.memory.tried(() => this.api.call('PATCH', path`/api/user-model/insights/${String(one.id)}`, { statement }))) end();
    } }, field, element('div', { class: 'row' }, element('button', { type: 'submit', class: 'primary' }, t('memory.save')), element('button', { type: 'button', onclick: end }, t('shell.cancel')))));
    field.focus();
  }

  adding() {
    const id = freshId('insight');
    const field = element('input', { id, type: 'text', autocomplete: 'off', placeholder: t('about.add.hint') });
    const kind = choice('preferences', DIMENSIONS.map((value) => ({ value, label: dimensionName(value) })), () => {}, { 'aria-label': t('about.kind') });
    return card(t('about.add'), element('form', { class: 'memory-import', onsubmit: (event) => {
      event.preventDefault();
      const statement = field.value.trim();
      if (!statement) return;
      field.blur();
      this.do(event.submitter, () => this.api.call('POST', '/api/user-model/insights', { statement, dimension: kind.value }), t('about.added'));
    } }, element('label', { for: id }, t('about.add.label')), element('div', { class: 'row' }, field, kind, element('button', { type: 'submit', class: 'primary' }, icon('plus'), t('memory.add.do')))));
  }
}
