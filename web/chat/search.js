// Search across chats: what is typed is looked for by the engine in every message, and by the window in the names of the
// chats it lists. Up and down choose, Enter opens the chat at the message.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { ago, t } from '../text/index.js';

const AFTER_MS = 140;
const NAMES_MAX = 6;

export class ChatSearch {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ rows: () => any[], open: (id: string, messageId?: string) => void }} on
   */
  constructor(api, on) {
    this.api = api;
    this.on = on;
  }

  show() {
    if (this.dialog) return;
    const field = element('input', { type: 'search', 'aria-label': t('chat.search'), placeholder: t('chat.search.field'), autocomplete: 'off', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'found', 'aria-autocomplete': 'list' });
    this.found = element('ul', { id: 'found', class: 'found-list', role: 'listbox', 'aria-label': t('chat.search.found') });
    this.state = element('p', { class: 'quiet', role: 'status' });
    this.field = field;
    this.dialog = element('dialog', { class: 'dialog search-dialog', 'aria-label': t('chat.search') },
      element('div', { class: 'search-field' }, icon('search'), field), this.found, this.state);
    field.addEventListener('input', () => this.typed());
    field.addEventListener('keydown', (event) => this.key(event));
    this.dialog.addEventListener('close', () => {
      clearTimeout(this.timer);
      this.asked?.abort();
      this.dialog.remove();
      this.dialog = null;
    });
    this.dialog.addEventListener('click', ({ target }) => target === this.dialog && this.dialog.close());
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.names('');
  }

  typed() {
    clearTimeout(this.timer);
    const words = this.field.value.trim();
    this.names(words);
    if (words.length > 1) this.timer = setTimeout(() => this.look(words), AFTER_MS);
  }

  /** Chats by name; the newest ones when nothing is asked. */
  names(words) {
    const wanted = words.toLowerCase();
    const rows = this.on.rows().filter((row) => !row.incognito && (row.title ?? '').toLowerCase().includes(wanted));
    this.draw(rows.slice(0, NAMES_MAX).map((row) => ({ id: row.id, name: row.title || t('chat.untitled'), when: row.updated_at })));
    this.state.textContent = '';
  }

  async look(words) {
    this.asked?.abort();
    this.asked = new AbortController();
    try {
      const hits = (await this.api.get(`/api/sessions/search?q=${encodeURIComponent(words)}`, this.asked.signal)) ?? [];
      if (!this.dialog || this.field.value.trim() !== words) return;
      const named = this.shown.filter((row) => !row.messageId);
      const nameOf = (id) => this.on.rows().find((row) => row.id === id)?.title || t('chat.untitled');
      const rows = hits.map((hit) => ({ id: hit.session_id, messageId: hit.message_id, name: nameOf(hit.session_id), snippet: hit.snippet, when: hit.created_at }));
      this.draw([...named, ...rows], words);
      this.state.textContent = rows.length + named.length === 0 ? t('chat.search.none') : '';
    } catch (error) {
      if (this.dialog && !this.asked.signal.aborted) this.state.textContent = error.message;
    }
  }

  /** @param {any[]} rows @param {string} [words] */
  draw(rows, words = '') {
    this.shown = rows;
    this.chosen = 0;
    this.found.replaceChildren(...rows.map((row, index) => element(
      'li',
      { id: `found-${index}`, role: 'option', onclick: () => this.open(row), onmousemove: () => this.choose(index) },
      icon(row.messageId ? 'search' : 'message-circle'),
      element('span', { class: 'found-text' },
        element('b', {}, row.name), row.snippet ? element('span', { class: 'quiet' }, ...marked(row.snippet, words)) : null),
      element('span', { class: 'quiet' }, row.when ? ago(row.when) : ''),
    )));
    this.choose(0);
  }

  choose(index) {
    if (this.shown.length === 0) return this.field.removeAttribute('aria-activedescendant');
    this.chosen = (index + this.shown.length) % this.shown.length;
    [...this.found.children].forEach((row, at) => row.setAttribute('aria-selected', String(at === this.chosen)));
    this.field.setAttribute('aria-activedescendant', `found-${this.chosen}`);
    return this.found.children[this.chosen].scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.choose(this.chosen + step);
    else if (event.key === 'Escape') this.dialog.close(); // a search field would only empty itself
    else if (event.key === 'Enter' && !event.isComposing && this.shown[this.chosen]) this.open(this.shown[this.chosen]);
    else return;
    event.preventDefault();
  }

  open({ id, messageId }) {
    this.dialog.close();
    this.on.open(id, messageId);
  }
}

/** The text with the words that were looked for as marks. @param {string} text @param {string} words */
function marked(text, words) {
  const wanted = words.split(/\s+/).filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (wanted.length === 0) return [text];
  return text.split(new RegExp(`(${wanted.join('|')})`, 'i')).map((part, index) => (index % 2 ? element('mark', {}, part) : part)).filter((part) => part !== '');
}
