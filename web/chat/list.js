// The list of chats: newest first, by day, with a mark on those that wait for the person. Incognito chats are not in it.

import { $, element } from '../shell/dom.js';
import { t } from '../text/index.js';

const LISTED_FIRST = 100;
const LISTED_MORE = 500;
const AFTER_MS = 150;
const DAY_MS = 86_400_000;

export class ChatList {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ open: (id: string) => void, asks: (id: string) => boolean, running: (id: string) => boolean, drawn: () => void, problem: (text: string) => void }} on
   */
  constructor(api, on) {
    this.api = api;
    this.on = on;
    /** @type {any[]} */
    this.rows = [];
    this.limit = LISTED_FIRST;
    this.currentId = null;
    $('chat-list').addEventListener('click', ({ target }) => {
      const id = target.closest('button[data-id]')?.dataset.id;
      if (id) on.open(id);
    });
    $('chats').addEventListener('keydown', (event) => this.walk(event));
  }

  /** Up and down walk through the list. @param {KeyboardEvent} event */
  walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...$('chats').querySelectorAll('button')];
    const next = all[all.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  refreshSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.refresh();
    }, AFTER_MS);
  }

  async refresh() {
    try {
      this.rows = (await this.api.get(`/api/sessions?limit=${this.limit}`)) ?? [];
    } catch (error) {
      return this.on.problem(error.message);
    }
    return this.draw();
  }

  /** @param {string | null} id */
  row(id) {
    return this.rows.find((row) => row.id === id);
  }

  draw() {
    const rows = this.rows.filter((row) => !row.incognito);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined;
    const groups = [];
    for (const row of rows) {
      const name = dayOf(row.updated_at ?? row.created_at);
      if (groups.at(-1)?.name !== name) groups.push({ name, rows: [] });
      groups.at(-1).rows.push(row);
    }
    const more = this.rows.length >= LISTED_FIRST && this.limit === LISTED_FIRST
      ? element('button', { type: 'button', class: 'quiet-button', onclick: () => this.showMore() }, t('chat.list.older')) : '';
    $('chat-list').replaceChildren(...groups.map((group) => element(
      'section',
      { 'aria-label': t(group.name) },
      element('h2', {}, t(group.name)),
      element('ul', {}, ...group.rows.map((row) => this.listRow(row))),
    )), more);
    if (focused) $('chat-list').querySelector(`button[data-id="${CSS.escape(focused)}"]`)?.focus();
    $('no-chats').hidden = rows.length > 0;
    this.mark(this.currentId);
    this.on.drawn();
  }

  showMore() {
    this.limit = LISTED_MORE;
    this.refresh();
  }

  listRow(row) {
    const api = row.channel === 'api';
    const where = row.channel && row.channel !== 'desktop' ? element('span', { class: 'tag' }, api ? t('chat.list.api') : row.channel) : null;
    const asks = this.on.asks(row.id) ? element('span', { class: 'asks' }, t('chat.list.asks')) : null;
    const runs = !asks && this.on.running(row.id) ? element('span', { class: 'pulse', role: 'img', 'aria-label': t('chat.list.running') }) : null;
    const name = element('span', { class: 'name' }, row.title || t('chat.untitled'));
    return element('li', {}, element('button', { type: 'button', 'data-id': row.id, title: row.title || null }, name, where, asks, runs));
  }

  /** Marks the chat on the screen. @param {string | null} id */
  mark(id) {
    this.currentId = id;
    for (const button of $('chat-list').querySelectorAll('button[data-id]')) {
      if (button.dataset.id === id) button.setAttribute('aria-current', 'page');
      else button.removeAttribute('aria-current');
    }
  }
}

/** The heading a chat stands under. @param {string} time @returns {'chat.day.today' | 'chat.day.yesterday' | 'chat.day.week' | 'chat.day.month' | 'chat.day.older'} */
export function dayOf(time, now = new Date()) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const then = Date.parse(time);
  if (Number.isNaN(then) || then >= midnight) return 'chat.day.today';
  if (then >= midnight - DAY_MS) return 'chat.day.yesterday';
  if (then >= midnight - 7 * DAY_MS) return 'chat.day.week';
  return then >= midnight - 30 * DAY_MS ? 'chat.day.month' : 'chat.day.older';
}
