// What happened while nobody looked, and what waits for an answer. News come in as they happen; reading and deleting is
// the same in every window.

import { nothing, pill } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { confirm } from '../../shell/dialogs.js';
import { element, shown, spoken } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { hashOf } from '../../shell/router.js';
import { prose } from '../../chat/prose.js';
import { ago, at, t } from '../../text/index.js';

const LIMIT = 200;
const ICONS = { info: 'info', task: 'list-todo', approval: 'shield-check', proactive: 'sparkles', skill: 'wand-sparkles', error: 'circle-alert', brief: 'sun', reminder: 'clock', budget: 'wallet', backup: 'hard-drive' };

/** @param {import('../../shell/app.js').Visit} visit */
export async function enter({ app, stage, heading, signal }) {
  const centre = new Centre(app, stage, heading, signal);
  await centre.fetch();
}

class Centre {
  constructor(app, stage, heading, signal) {
    this.app = app;
    this.signal = signal;
    this.api = app.api;
    /** @type {any[]} */
    this.notes = [];
    this.list = element('ul', { class: 'notes' });
    this.empty = nothing('bell', t('inbox.nothing'));
    this.readAll = element('button', { type: 'button', class: 'quiet-button', onclick: () => this.tried(() => this.api.call('POST', '/api/notifications/read-all')) }, t('inbox.readall'));
    this.clear = element('button', { type: 'button', class: 'quiet-button', onclick: () => this.deleteAll() }, t('inbox.clear'));
    heading.append(element('span', { class: 'space' }), this.readAll, this.clear);
    stage.append(this.list, this.empty);
    const fetch = () => this.fetch().catch(() => {}); // the next news, or the next connection, brings it
    app.on('notification.new', (note) => this.put(note), signal);
    app.on('notification.updated', (note) => this.put(note), signal);
    app.on('notification.read', ({ id }) => this.each(id, (note) => ({ ...note, read: true })), signal);
    app.on('notification.deleted', ({ id }) => this.each(id, () => null), signal);
    app.on('resync', fetch, signal);
  }

  async fetch() {
    const { notifications } = await this.api.get(`/api/notifications?limit=${LIMIT}`, this.signal);
    this.notes = notifications;
    this.draw();
  }

  put(note) {
    const index = this.notes.findIndex(({ id }) => id === note.id);
    if (index === -1) this.notes.unshift(note);
    else this.notes[index] = note;
    this.draw();
  }

  each(id, change) {
    this.notes = this.notes.map((note) => (id === null || note.id === id ? change(note) : note)).filter((note) => note !== null);
    this.draw();
  }

  async tried(job) {
    try {
      await job();
    } catch (error) {
      if (error.status !== 404) this.app.toasts.problem(error);
    }
  }

  async deleteAll() {
    if (await confirm(t('inbox.clear.ask'), t('inbox.clear'))) await this.tried(() => this.api.call('DELETE', '/api/notifications'));
  }

  draw() {
    this.readAll.hidden = !this.notes.some(({ read }) => !read);
    this.clear.hidden = this.notes.length === 0;
    this.empty.hidden = this.notes.length > 0;
    const known = new Map([.../** @type {any} */ (this.list.children)].map((node) => [node.dataset.id, node]));
    const nodes = this.notes.map((note) => {
      const old = known.get(note.id);
      const text = JSON.stringify(note);
      if (old?.dataset.drawn === text) return old;
      const node = this.note(note);
      node.dataset.drawn = text;
      // A button that was just used keeps the focus on its note.
      if (old?.contains(document.activeElement)) queueMicrotask(() => /** @type {HTMLElement | null} */ (node.querySelector('button, a'))?.focus());
      return node;
    });
    this.list.replaceChildren(...nodes);
  }

  note(note) {
    const read = () => this.tried(() => this.api.call('POST', path`/api/notifications/${note.id}/read`));
    const remove = () => this.tried(() => this.api.call('DELETE', path`/api/notifications/${note.id}`));
    const where = note.payload?.session_id;
    const text = element('div', { class: 'prose' });
    text.append(prose(note.message, { fileAddress: (name) => this.api.fileAddress(name) }));
    return element(
      'li',
      { class: `note ${note.read ? '' : 'unread'}`, 'data-id': note.id, 'data-kind': note.kind },
      icon(ICONS[note.kind] ?? 'info'),
      element(
        'div',
        { class: 'note-words' },
        element('h2', {}, note.title, note.read ? null : element('span', { class: 'unseen' }, ` (${t('inbox.unread')})`)),
        note.message ? text : null,
        note.kind === 'approval' ? this.approval(note) : null,
        element('p', { class: 'row quiet' }, element('time', { datetime: note.created_at, title: at(note.created_at) }, ago(note.created_at)),
          where ? element('a', { href: hashOf('chat', where) }, t('inbox.open')) : null),
      ),
      element('div', { class: 'note-actions' },
        note.read ? null : element('button', { type: 'button', class: 'icon-button', title: t('inbox.read'), 'aria-label': t('inbox.read.of', { title: note.title }), onclick: read }, icon('check')),
        element('button', { type: 'button', class: 'icon-button', title: t('inbox.delete'), 'aria-label': t('inbox.delete.of', { title: note.title }), onclick: remove }, icon('trash'))),
    );
  }

  /** A question no chat could show: it is answered here, once. */
  approval({ payload }) {
    if (payload.status) return pill(payload.status === 'expired' ? t('inbox.expired') : t('inbox.answered', { answer: spoken(payload.status) }));
    const answer = async (decision) => {
      for (const button of row.querySelectorAll('button')) button.disabled = true;
      await this.tried(() => this.api.call('POST', '/api/approvals', { approval_id: payload.approval_id, decision }));
      for (const button of row.querySelectorAll('button')) button.disabled = false;
    };
    const row = element('div', { class: 'row' },
      element('button', { type: 'button', class: 'primary', onclick: () => answer('allow') }, t('inbox.allow')),
      element('button', { type: 'button', onclick: () => answer('deny') }, t('inbox.deny')));
    return element('div', { class: 'asked-here' },
      element('details', {}, element('summary', {}, t('inbox.exactly')), element('pre', { tabindex: 0 }, shown(payload.arguments ?? {}))), row);
  }
}
