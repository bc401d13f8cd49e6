// Memories that wait (contract section 7, "Memories waiting for review"): instructions first, then by where they came from.
// Only a press here lets one in; what the nightly tidying merged can be taken apart again.

import { card, nothing, pill } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { confirm } from '../../shell/dialogs.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { plainly } from '../../chat/plain.js';
import { ago, at, t } from '../../text/index.js';
import { chatAddress } from './sources.js';
import { scopeName, sourceName } from './words.js';

/**
 * @param {import('./index.js').Memory} memory
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function reviewPage(memory, place, signal) {
  const review = new Review(memory, place, signal);
  await review.fetch();
  memory.anew.add(() => review.fetch().catch(() => {})); // the next news, or the next connection, brings it
}

class Review {
  constructor(memory, place, signal) {
    this.memory = memory;
    this.api = memory.api;
    this.place = place;
    this.signal = signal;
    /** Cards whose words the person is changing: they stay as they are. @type {Set<string>} */
    this.editing = new Set();
  }

  async fetch() {
    const [{ items = [], count = 0, expire_days: days, merged = [] }, scopes] = await Promise.all([
      this.api.get('/api/memories/review', this.signal), this.api.get('/api/memories/scopes', this.signal).catch(() => [])]);
    this.scopes = scopes ?? [];
    this.memory.badge(count);
    if (this.editing.size) return; // what is being written is not taken away
    this.draw(items, merged, days);
  }

  draw(items, merged, days) {
    const focused = this.place.contains(document.activeElement) ? document.activeElement?.closest('[data-key]')?.getAttribute('data-key') : null;
    const groups = new Map();
    for (const item of items) {
      const key = item.reason === 'instruction' ? '' : item.from ?? sourceName(item.source);
      groups.set(key, [...(groups.get(key) ?? []), item]);
    }
    const ordered = [...groups].sort(([one], [other]) => Number(one !== '') - Number(other !== ''));
    this.place.replaceChildren(
      element('p', { class: 'lead' }, t('review.lead', { count: days ?? 30 })),
      ...(items.length ? ordered.map(([from, list]) => this.group(from, list)) : [nothing('circle-check', t('review.nothing'))]),
      merged.length ? card(t('review.merged'), element('p', { class: 'quiet' }, t('review.merged.text')), ...merged.map((one) => this.merged(one))) : '',
    );
    if (focused !== null && focused !== undefined) this.refocus(focused);
  }

  /** The card that had the focus, or the one that took its place. @param {string} key */
  refocus(key) {
    const same = this.place.querySelector(`[data-key="${CSS.escape(key)}"] button`);
    /** @type {HTMLElement | null} */ (same ?? this.place.querySelector('[data-key] button') ?? this.memory.nav.querySelector('a[aria-current]'))?.focus();
  }

  group(from, items) {
    const instructions = from === '';
    const title = instructions ? t('review.instructions') : t('review.from', { from });
    const all = items.length > 1 ? element('button', { type: 'button', class: 'small', onclick: () => this.approveAll(instructions ? items[0].from : from, items) },
      icon('check'), t('review.approveall', { count: items.length })) : null;
    return card(title, instructions ? element('p', { class: 'quiet' }, t('review.instructions.text')) : null, ...items.map((item) => this.item(item)), all ? element('p', { class: 'row' }, all) : null);
  }

  item(item) {
    const key = `${item.kind}-${item.id}`;
    const text = plainly(item.text);
    const short = text.slice(0, 60);
    const where = [item.title, item.dated, item.export, item.scope ? scopeName(this.scopes, item.scope) : null].filter(Boolean).join(' · ');
    const node = element('div', { class: 'line review-item', 'data-key': key });
    const name = (action) => t('memory.do.of', { action: t(action), content: short });
    const shown = [
      element('div', { class: 'line-words' },
        element('p', { class: 'memory-text as-written' }, text),
        element('p', { class: 'memory-meta quiet' }, item.reason === 'instruction' ? pill(t('review.instruction'), 'warn') : null, item.kind === 'insight' ? pill(t('review.insight')) : null,
          where ? element('span', {}, where) : null, element('time', { datetime: item.created_at, title: at(item.created_at) }, ago(item.created_at)),
          item.expires_at ? element('span', {}, t('review.expires', { when: ago(item.expires_at) })) : null),
        item.snippet ? element('blockquote', { class: 'as-written' }, plainly(item.snippet)) : null,
        item.session_id ? element('a', { href: chatAddress(item) }, t('memory.source.chat')) : null),
      element('div', { class: 'line-control' },
        element('button', { type: 'button', class: 'primary', 'aria-label': name('review.approve'), onclick: (event) => this.approve(item, undefined, event.target) }, t('review.approve')),
        element('button', { type: 'button', 'aria-label': name('review.edit'), onclick: () => this.edit(node, item, shown, key) }, t('review.edit')),
        element('button', { type: 'button', 'aria-label': name('review.discard'), onclick: (event) => this.discard(item, event.target) }, t('review.discard'))),
    ];
    node.append(...shown);
    return node;
  }

  edit(node, item, shown, key) {
    this.editing.add(key);
    const field = element('textarea', { rows: 2, maxlength: 2000, 'aria-label': t('memory.words') });
    field.value = item.text;
    const end = () => {
      this.editing.delete(key);
      node.replaceChildren(...shown);
      /** @type {HTMLElement | null} */ (node.querySelectorAll('button')[1])?.focus();
      this.fetch().catch(() => {});
    };
    node.replaceChildren(element('form', { class: 'memory-edit', onkeydown: (event) => event.key === 'Escape' && end(), onsubmit: async (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      this.editing.delete(key);
      if (!(await this.approve(item, field.value.trim(), event.submitter))) this.editing.add(key);
    } }, field, element('div', { class: 'row' }, element('button', { type: 'submit', class: 'primary' }, t('review.approve.edited')), element('button', { type: 'button', onclick: end }, t('shell.cancel')))));
    field.focus();
  }

  /** @param {any} item @param {string | undefined} content @param {any} button */
  approve(item, content, button) {
    return this.#settle(button, () => this.api.call('POST', path`/api/memories/review/${item.kind}/${String(item.id)}/approve`, content ? { content } : {}), t('review.approved'));
  }

  discard(item, button) {
    return this.#settle(button, () => this.api.call('DELETE', path`/api/memories/review/${item.kind}/${String(item.id)}`), t('review.discarded'));
  }

  async approveAll(from, items) {
    if (!(await confirm(t('review.approveall.ask', { from }), t('review.approveall.yes'), [t('review.approveall.why', { count: items.length })]))) return;
    const done = await this.memory.tried(() => this.api.call('POST', '/api/memories/review/approve-all', { from }));
    if (done) this.memory.app.toasts.show(t('review.approvedall', { count: done.approved }));
    await this.fetch().catch(() => {});
  }

  merged(one) {
    const into = one.merged_into?.text;
    return element('div', { class: 'line', 'data-key': `merged-${one.id}` },
      element('div', { class: 'line-words' }, element('p', { class: 'memory-text as-written' }, plainly(one.text)),
        element('p', { class: 'memory-meta quiet' }, into ? t('review.merged.into', { text: plainly(into) }) : '', ' ', element('time', { datetime: one.merged_at }, ago(one.merged_at)))),
      element('div', { class: 'line-control' }, element('button', { type: 'button', 'aria-label': t('memory.do.of', { action: t('review.unmerge'), content: plainly(one.text).slice(0, 60) }),
        onclick: (event) => this.#settle(event.target, () => this.api.call('POST', path`/api/memories/review/merged/${String(one.id)}/undo`), t('review.unmerged')) }, icon('undo-2'), t('review.unmerge'))));
  }

  /** @param {any} button @param {() => Promise<any>} job @param {string} said */
  async #settle(button, job, said) {
    const pressed = button?.closest?.('button');
    if (pressed) pressed.disabled = true;
    const done = await this.memory.tried(job);
    if (pressed) pressed.disabled = false;
    if (done) this.memory.app.toasts.show(said);
    await this.fetch().catch(() => {});
    return Boolean(done);
  }
}
