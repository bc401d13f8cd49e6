// One memory: what it says, where it is kept, where it came from, and what can be done with it. While it is drawn anew, what
// is being written in it and what was unfolded stays.

import { pill } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { confirm } from '../../shell/dialogs.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { plainly } from '../../chat/plain.js';
import { ago, at, t } from '../../text/index.js';
import { scopePicker } from './scope.js';
import { sourceList } from './sources.js';
import { scopeName, sourceName, sureness, topicName } from './words.js';

export class MemoryRow {
  /**
   * @param {import('./index.js').Memory} memory
   * @param {{ scopes: any[], fetch: () => Promise<void> }} list
   */
  constructor(memory, list) {
    this.memory = memory;
    this.api = memory.api;
    this.list = list;
    this.text = element('p', { class: 'memory-text as-written', tabindex: -1 });
    this.meta = element('p', { class: 'memory-meta quiet' });
    this.history = element('div', { class: 'memory-history' });
    this.details = element('details', { ontoggle: () => this.details.open && this.fetchWhole() }, element('summary', {}, t('memory.where')), this.history);
    this.actions = element('div', { class: 'memory-actions' });
    this.body = element('div', { class: 'memory-body' }, this.text, this.meta, this.details);
    this.node = element('li', { class: 'memory' }, this.body, this.actions);
  }

  /** @param {any} one Memory */
  draw(one) {
    const text = JSON.stringify(one);
    if (text === this.drawn) return;
    this.drawn = text;
    this.one = one;
    this.node.dataset.id = String(one.id);
    this.node.dataset.state = one.state ?? 'current';
    if (!this.editing) this.text.textContent = plainly(one.content);
    this.meta.replaceChildren(...this.#meta(one));
    const had = this.actions.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.do : null;
    this.actions.replaceChildren(...this.#buttons(one));
    if (had) /** @type {HTMLElement | null} */ (this.actions.querySelector(`[data-do="${had}"]`) ?? this.actions.querySelector('button'))?.focus();
    if (this.details.open) this.fetchWhole();
  }

  #meta(one) {
    const state = one.state === 'disputed' ? pill(t('memory.is.disputed'), 'warn') : one.state === 'superseded' ? pill(t('memory.is.superseded')) : null;
    const words = [scopeName(this.list.scopes, one.scope), (one.topics ?? []).map(topicName).join(', '), sourceName(one.source)].filter(Boolean).join(' · ');
    const until = one.memory_type === 'short-term' && one.expires_at ? t('memory.until', { when: ago(one.expires_at) }) : null;
    return [state, element('span', {}, words), element('time', { datetime: one.updated_at ?? one.created_at, title: at(one.updated_at ?? one.created_at) }, ago(one.updated_at ?? one.created_at)), until].filter(Boolean)
      .flatMap((part, index) => (index === 0 ? [part] : [' · ', part]));
  }

  #buttons(one) {
    const short = plainly(one.content).slice(0, 60);
    const button = (name, picture, run) => element('button', {
      type: 'button', class: 'icon-button', 'data-do': name, title: t(/** @type {any} */ (`memory.do.${name}`)), 'aria-label': t('memory.do.of', { action: t(/** @type {any} */ (`memory.do.${name}`)), content: short }), onclick: run,
    }, icon(picture));
    return [
      button('edit', 'pencil', () => this.edit()),
      one.state === 'current' ? button('dispute', 'thumbs-down', () => this.say('disputed')) : button('confirm', 'thumbs-up', () => this.say('current')),
      button('delete', 'trash', () => this.remove()),
    ];
  }

  /** Where it came from, its earlier words, what replaced it. */
  async fetchWhole() {
    try {
      const whole = await this.api.get(path`/api/memories/${String(this.one.id)}`);
      const links = whole.sources?.length ? whole.sources : whole.ref ? [{ source: whole.source, ref: whole.ref, at: whole.created_at }] : [];
      this.history.replaceChildren(...[
        links.length ? sourceList(links, (name) => this.api.fileAddress(name)) : element('p', { class: 'quiet' }, t('memory.nosource', { source: sourceName(whole.source) })),
        whole.previous_content ? element('p', {}, element('span', { class: 'quiet' }, `${t('memory.before')} `), plainly(whole.previous_content)) : null,
        whole.superseded_by_content ? element('p', {}, element('span', { class: 'quiet' }, `${t('memory.replaced')} `), plainly(whole.superseded_by_content)) : null,
        typeof whole.confidence === 'number' ? element('p', { class: 'quiet' }, sureness(whole.confidence)) : null,
      ].filter(Boolean));
    } catch (error) {
      this.history.replaceChildren(element('p', { class: 'problem' }, error.message));
    }
  }

  /** Its words and where it is kept, in place of what is shown. */
  edit() {
    this.editing = true;
    const { one } = this;
    const field = element('textarea', { rows: 2, maxlength: 2000, 'aria-label': t('memory.words') });
    field.value = one.content;
    const picker = scopePicker(this.list.scopes, one.scope ?? 'personal');
    const save = element('button', { type: 'submit', class: 'primary' }, t('memory.save'));
    const form = element('form', { class: 'memory-edit', onsubmit: (event) => {
      event.preventDefault();
      this.save(field.value.trim(), picker.value(), save);
    }, onkeydown: (event) => event.key === 'Escape' && this.endEdit() },
    field, picker.node, element('div', { class: 'row' }, save, element('button', { type: 'button', onclick: () => this.endEdit() }, t('shell.cancel'))));
    this.body.hidden = true;
    this.actions.hidden = true;
    this.node.append(form);
    this.form = form;
    field.focus();
  }

  endEdit() {
    this.form?.remove();
    this.editing = false;
    this.body.hidden = false;
    this.actions.hidden = false;
    this.text.textContent = plainly(this.one.content);
    /** @type {HTMLElement | null} */ (this.actions.querySelector('[data-do="edit"]'))?.focus();
  }

  /** @param {string} content @param {string} scope @param {HTMLButtonElement} button */
  async save(content, scope, button) {
    const { one } = this;
    const address = path`/api/memories/${String(one.id)}`;
    if (!content || !scope) return;
    button.disabled = true;
    const done = await this.memory.tried(async () => {
      let now = one;
      if (content !== one.content) now = await this.api.call('PUT', address, { content });
      if (scope !== one.scope) now = await this.api.call('PATCH', address, { scope });
      return now;
    });
    button.disabled = false;
    if (!done) return;
    this.draw(done);
    this.endEdit();
    this.list.fetch().catch(() => {});
  }

  /** The person says that it is not right, or that it is. @param {'disputed' | 'current'} state */
  async say(state) {
    const now = await this.memory.tried(() => this.api.call('PATCH', path`/api/memories/${String(this.one.id)}`, { state }));
    if (!now) return;
    this.draw(now);
    this.memory.app.toasts.show(t(state === 'disputed' ? 'memory.disputed' : 'memory.confirmed'));
    this.list.fetch().catch(() => {});
  }

  async remove() {
    if (!(await confirm(t('memory.delete.ask'), t('memory.delete.yes'), [`“${plainly(this.one.content)}”`, t('memory.delete.why')]))) return;
    const done = await this.memory.tried(() => this.api.call('DELETE', path`/api/memories/${String(this.one.id)}`));
    if (!done) return;
    this.memory.app.toasts.show(t(done.cleanup_pending ? 'memory.deleted.pending' : 'memory.deleted'));
    this.list.fetch().catch(() => {});
  }
}
