// The memories: found by topic, place, state and words; added by hand; each with what can be done with it.

import { choice, freshId, nothing } from '../../shell/controls.js';
import { confirm } from '../../shell/dialogs.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { t } from '../../text/index.js';
import { MemoryRow } from './row.js';
import { scopePicker } from './scope.js';
import { scopeName, topicName } from './words.js';

const PAGE = 50;
const TYPED_MS = 250;

/**
 * @param {import('./index.js').Memory} memory
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function listPage(memory, place, signal) {
  const list = new List(memory, place, signal);
  await list.fetch();
  memory.anew.add(() => list.fetch().catch(() => {})); // the next news, or the next connection, brings it
}

class List {
  constructor(memory, place, signal) {
    this.memory = memory;
    this.api = memory.api;
    this.place = place;
    this.signal = signal;
    this.filter = { q: '', topic: '', scope: '', state: '' };
    this.limit = PAGE;
    /** @type {any[]} */
    this.scopes = [];
    /** @type {any[]} */
    this.topics = [];
    /** @type {Map<string, MemoryRow>} */
    this.rows = new Map();
    this.said = element('p', { class: 'quiet', role: 'status' });
    this.list = element('ul', { class: 'memories', 'aria-label': t('screen.memory') });
    this.empty = element('div', {});
    this.more = element('button', { type: 'button', class: 'quiet-button', hidden: true, onclick: () => this.showMore() }, t('memory.more'));
    this.filters = element('div', { class: 'memory-filters' });
    this.search = element('input', { type: 'search', placeholder: t('memory.search'), 'aria-label': t('memory.search'), oninput: () => this.typed() });
    this.reset = element('button', { type: 'button', class: 'quiet-button', hidden: true, onclick: () => this.resetScope() }, icon('trash'), element('span', {}));
    place.append(this.#adding(), element('search', { class: 'memory-find' }, element('div', { class: 'search' }, icon('search'), this.search), this.filters), this.said, this.list, this.empty,
      element('p', { class: 'row' }, this.more, this.reset));
  }

  #adding() {
    const id = freshId('fact');
    const field = element('input', { id, type: 'text', autocomplete: 'off', maxlength: 2000, placeholder: t('memory.add.hint') });
    const place = element('div', {});
    this.newScope = () => this.picker?.value() || 'personal';
    this.drawPicker = () => {
      if (place.contains(document.activeElement)) return;
      this.picker = scopePicker(this.scopes, this.filter.scope || this.newScope());
      place.replaceChildren(this.picker.node);
    };
    return element('form', { class: 'memory-add', onsubmit: async (event) => {
      event.preventDefault();
      const content = field.value.trim();
      if (!content) return;
      const button = /** @type {HTMLButtonElement} */ (event.submitter);
      if (button) button.disabled = true;
      const done = await this.memory.tried(() => this.api.call('POST', '/api/memories', { content, scope: this.newScope() }));
      if (button) button.disabled = false;
      if (!done) return;
      field.value = '';
      this.memory.app.toasts.show(t(/** @type {any} */ (`memory.added.${['ADD', 'UPDATE', 'DELETE', 'SKIP'].includes(done.action) ? done.action : 'ADD'}`), { content: done.content ?? content }));
      field.focus();
      this.fetch().catch(() => {});
    } }, element('label', { for: id }, t('memory.add')), element('div', { class: 'row' }, field, element('button', { class: 'primary', type: 'submit' }, icon('plus'), t('memory.add.do'))), place);
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.choose({ q: this.search.value.trim() }), TYPED_MS);
  }

  /** @param {Partial<List['filter']>} change */
  choose(change) {
    Object.assign(this.filter, change);
    this.limit = PAGE;
    return this.fetch().catch((error) => error.name !== 'AbortError' && this.memory.app.toasts.problem(error));
  }

  async fetch() {
    this.asked?.abort();
    const asked = new AbortController();
    this.asked = asked;
    const signal = AbortSignal.any([asked.signal, this.signal]);
    const query = new URLSearchParams(Object.entries({ ...this.filter, limit: String(this.limit) }).filter(([, value]) => value));
    const [memories, scopes, topics] = await Promise.all([`/api/memories?${query}`, '/api/memories/scopes', '/api/memories/topics'].map((address) => this.api.get(address, signal)));
    if (signal.aborted) return;
    Object.assign(this, { scopes: scopes ?? [], topics: topics ?? [] });
    this.draw(memories ?? []);
  }

  async showMore() {
    const before = this.list.children.length;
    this.limit += PAGE;
    await this.fetch().catch(() => {});
    /** @type {HTMLElement | null} */ (this.list.children[before]?.querySelector('.memory-text') ?? null)?.focus();
  }

  draw(memories) {
    this.drawFilters();
    this.drawPicker?.();
    const there = new Set(memories.map(({ id }) => String(id)));
    for (const [id, row] of this.rows) if (!there.has(id)) this.drop(id, row);
    let next = /** @type {Element | null} */ (null);
    for (const one of memories.toReversed()) {
      const id = String(one.id);
      const row = this.rows.get(id) ?? new MemoryRow(this.memory, this);
      this.rows.set(id, row);
      row.draw(one);
      if (row.node.parentNode !== this.list || row.node.nextElementSibling !== next) this.list.insertBefore(row.node, next);
      next = row.node;
    }
    this.more.hidden = memories.length < this.limit;
    const filtered = Object.values(this.filter).some(Boolean);
    const more = memories.length >= this.limit ? '+' : '';
    this.said.textContent = memories.length ? t('memory.count', { count: memories.length }) + more : '';
    this.empty.replaceChildren(memories.length ? '' : nothing('brain', t(filtered ? 'memory.nothing.found' : 'memory.nothing')));
    const scope = this.scopes.find(({ name }) => name === this.filter.scope);
    this.reset.hidden = !scope || scope.count === 0;
    this.reset.lastChild.textContent = scope ? t('memory.reset', { scope: scopeName(this.scopes, scope.name) }) : '';
  }

  /** A row that goes while it has the focus hands it to the next one. @param {string} id @param {MemoryRow} row */
  drop(id, row) {
    const had = row.node.contains(document.activeElement);
    const beside = row.node.nextElementSibling ?? row.node.previousElementSibling;
    row.node.remove();
    this.rows.delete(id);
    if (had) /** @type {HTMLElement} */ (beside?.querySelector('.memory-text') ?? this.search).focus();
  }

  drawFilters() {
    if (this.filters.contains(document.activeElement) && this.filters.childNodes.length) return;
    const one = (name, options) => {
      const id = freshId('filter');
      const list = choice(this.filter[name], options, (value) => this.choose({ [name]: value }), { id });
      return element('div', { class: 'filter' }, element('label', { for: id, class: 'quiet' }, t(/** @type {any} */ (`memory.filter.${name}`))), list);
    };
    const counted = (label, count) => (count === undefined ? label : `${label} (${count})`);
    this.filters.replaceChildren(
      one('topic', [{ value: '', label: t('memory.all') }, ...this.topics.map(({ name, count }) => ({ value: name, label: counted(topicName(name), count) }))]),
      one('scope', [{ value: '', label: t('memory.all') }, ...this.scopes.map(({ name, count }) => ({ value: name, label: counted(scopeName(this.scopes, name), count) }))]),
      one('state', ['', 'disputed', 'superseded', 'all'].map((value) => ({ value, label: t(/** @type {any} */ (`memory.state.${value || 'used'}`)) }))),
    );
  }

  /** Everything in one scope goes, what waits for review too. */
  async resetScope() {
    const { scope } = this.filter;
    const name = scopeName(this.scopes, scope);
    if (!(await confirm(t('memory.reset.ask', { scope: name }), t('memory.reset', { scope: name }), [t('memory.reset.why'), t('memory.delete.why')]))) return;
    const done = await this.memory.tried(() => this.api.call('DELETE', `/api/memories/scope/${encodeURIComponent(scope)}`));
    if (!done) return;
    this.memory.app.toasts.show(t('memory.reset.done', { count: done.deleted }));
    await this.choose({ scope: '' });
    this.search.focus();
  }
}
