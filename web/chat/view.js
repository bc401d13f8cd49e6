// A chat on the screen. The messages of a long chat stand in sheets of a few, and the sheets in books: what the browser does
// for a frame depends on how many boxes it watches, and on how much of the chat comes into sight at once, so neither the
// books nor the sheets are many or large. A sheet that is far away is only an empty box of about the right height; it is
// filled when it comes near, or when the browser has time. So a chat of
// thousands of messages opens at once and scrolls smoothly, and the browser's own search finds the words of its newest
// thousand. The last sheet is always there: that is where something happens.
//
// What changes is drawn once per frame. All text of the engine becomes text nodes. What a button does is handed in;
// nothing here talks to the engine.

import { baseName, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { at, t } from '../text/index.js';
import { copyOnClick } from './code.js';
import { prose } from './prose.js';
import { ReplyDrawing } from './reply.js';
import { memoryNote } from './sources.js';
import { markWords, wordsIn } from './quote.js';

const NEAR_THE_END_PX = 60;
/** Messages in a sheet: as much as is laid out at once. */
const SHEET_ITEMS = 8;
/** Sheets in a book. */
const BOOK_SHEETS = 10;
const FILL_AHEAD_PX = 2000;
const PUT_BACK_FRAMES_MAX = 4;
const IDLE_SLICE_MS = 6;
/** So many of the newest messages are filled without being scrolled to. */
const IDLE_ITEMS_MAX = 1000;
const FOUND_MS = 2500;
const PICTURE_NAME = /\.(png|jpe?g|gif|webp)$/i;
const STATES = ['sending', 'joining', 'dropped', 'unsure'];

/** @typedef {{ node: HTMLElement, items: any[], filled: boolean, tall: number }} Sheet */

export class ChatView {
  /**
   * @param {HTMLElement} log the box that scrolls
   * @param {() => string} assistant its name
   * @param {any} actions `fileAddress`, `answer`, `respond`, `stopHelper`, `resend`, `undoMemory`, `keepGoing`, `following`
   */
  constructor(log, assistant, actions) {
    this.log = log;
    this.assistant = assistant;
    this.actions = {
      ...actions,
      prose: (text) => prose(text, { fileAddress: actions.fileAddress }),
      helpersOf: (callId) => [...(this.chat?.helpers.values() ?? [])].filter((helper) => helper.parent_call_id === callId),
    };
    this.sheetsBox = element('div', {});
    this.aside = element('div', { class: 'asides' });
    this.stream = element('div', { class: 'stream' }, this.sheetsBox, this.aside);
    log.append(this.stream);
    /** @type {Sheet[]} */
    this.sheets = [];
    /** The items that have an element. @type {Map<any, { node: HTMLElement, reply: ReplyDrawing | null }>} */
    this.drawn = new Map();
    /** What is drawn at the next frame: an item, and which of its blocks (`null`: all of it). @type {Map<any, Set<any> | null>} */
    this.due = new Map();
    this.following = true;
    this.watchScroll();
    copyOnClick(log);
  }

  watchScroll() {
    let last = 0;
    this.log.addEventListener('scroll', () => {
      const { scrollTop } = this.log;
      if (this.nearEnd()) this.follow(true);
      else if (scrollTop < last - 1) this.follow(false);
      last = scrollTop;
    }, { passive: true });
    // Whatever makes the conversation longer, the end stays in sight while it is followed.
    const keep = new ResizeObserver(() => this.following && this.toEnd());
    keep.observe(this.stream);
    keep.observe(this.log);
    this.near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        if (target.matches('.book')) this.open(target);
        else this.fill(/** @type {Sheet} */ (this.sheets.find(({ node }) => node === target)));
      }
    }, { root: this.log, rootMargin: `${FILL_AHEAD_PX}px 0px` });
  }

  nearEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_THE_END_PX;
  }

  follow(following) {
    if (following === this.following) return;
    this.following = following;
    this.actions.following?.(following);
  }

  toEnd() {
    this.log.scrollTop = this.log.scrollHeight;
    this.follow(true);
  }

  /** Shows another chat, or the same one after it was fetched anew. @param {any} chat */
  show(chat) {
    const place = this.chat === chat && !this.following ? this.firstSeen() : null;
    this.chat = chat;
    this.near.disconnect();
    this.drawn.clear();
    this.due.clear();
    this.sheets = [];
    for (let from = 0; from < Math.max(1, chat.items.length); from += SHEET_ITEMS) this.addSheet(chat.items.slice(from, from + SHEET_ITEMS));
    this.sheetsBox.replaceChildren();
    for (let from = 0; from < this.sheets.length; from += BOOK_SHEETS) this.addBook(this.sheets.slice(from, from + BOOK_SHEETS));
    this.log.classList.toggle('empty', chat.items.length === 0 && chat.loaded);
    for (const sheet of this.sheets.slice(-2)) this.fill(sheet);
    this.openLast();
    if (!place || !this.putBack(place)) this.toEnd();
    this.fillWhenIdle();
  }

  /** @param {any[]} items @returns {Sheet} */
  addSheet(items) {
    const node = element('div', { class: 'sheet' });
    const tall = items.reduce((sum, item) => sum + guessHeight(item), 0);
    node.style.containIntrinsicSize = `auto ${tall}px`;
    const sheet = { node, items, filled: false, tall };
    this.sheets.push(sheet);
    return sheet;
  }

  /** Its sheets are watched once it is near. @param {Sheet[]} sheets */
  addBook(sheets) {
    const node = element('div', { class: 'book' }, ...sheets.map((sheet) => sheet.node));
    node.style.containIntrinsicSize = `auto ${sheets.reduce((sum, { tall }) => sum + tall, 0)}px`;
    this.sheetsBox.append(node);
    this.near.observe(node);
  }

  /** @param {Element} book */
  open(book) {
    this.near.unobserve(book);
    for (const { node, filled } of this.sheets) if (!filled && node.parentNode === book) this.near.observe(node);
  }

  /** The last sheet, and so the last book, is never skipped by the browser: it is where the reply grows. */
  openLast() {
    const last = this.sheets.at(-1)?.node;
    for (const { node } of this.sheets.slice(-3)) {
      node.classList.toggle('last', node === last);
      node.parentElement?.classList.toggle('last', node.parentNode === last?.parentNode);
    }
  }

  /** The first item in sight, and how far from the top it is. */
  firstSeen() {
    const top = this.log.getBoundingClientRect().top;
    // From the outside in: to ask for the place of something the browser skips would make it lay that out.
    const first = (nodes) => [...nodes].find((node) => node.getBoundingClientRect().bottom > top);
    const book = first(this.sheetsBox.children);
    const sheet = book && first(book.children);
    const node = sheet && first(sheet.children);
    const item = node && this.sheets.find((one) => one.node === sheet)?.items.find((one) => this.drawn.get(one)?.node === node);
    return item ? { id: item.ids?.[0], offset: node.getBoundingClientRect().top - top } : null;
  }

  putBack({ id, offset }) {
    const item = id && this.chat.items.find(({ ids }) => ids?.includes(id));
    if (!item) return false;
    const node = this.nodeOf(item);
    let tries = PUT_BACK_FRAMES_MAX;
    // What stands above has the height it was guessed to have, until it is laid out: then it is looked at once more.
    const put = () => {
      const off = node.getBoundingClientRect().top - this.log.getBoundingClientRect().top - offset;
      if (Math.abs(off) >= 1) this.log.scrollTop += off;
      tries -= 1;
      if (tries > 0 && node.isConnected && !this.following) requestAnimationFrame(put);
    };
    put();
    return true;
  }

  /** Draws a sheet for the first time. @param {Sheet} sheet */
  fill(sheet) {
    if (sheet.filled) return;
    sheet.filled = true;
    this.near.unobserve(sheet.node);
    sheet.node.append(...sheet.items.map((item) => this.newItem(item)));
  }

  fillWhenIdle() {
    const { sheets } = this;
    let index = sheets.length - 1;
    const least = Math.max(0, sheets.length - IDLE_ITEMS_MAX / SHEET_ITEMS);
    const slice = (deadline) => {
      if (this.sheets !== sheets) return;
      const until = performance.now() + Math.min(IDLE_SLICE_MS, deadline?.timeRemaining?.() ?? IDLE_SLICE_MS);
      do {
        this.fill(sheets[index]);
        index -= 1;
      } while (index >= least && performance.now() < until);
      if (index >= least) requestIdleCallback(slice);
    };
    if (index >= least) requestIdleCallback(slice);
  }

  /** The element of an item, drawn when it was not yet. */
  nodeOf(item) {
    if (!this.drawn.has(item)) this.fill(this.sheets.find(({ items }) => items.includes(item)) ?? this.sheets.at(-1));
    return this.drawn.get(item)?.node;
  }

  newItem(item) {
    const names = { user: t('chat.you'), reply: this.assistant(), other: item.name ?? t('chat.someone') };
    const node = element('article', { class: `item ${item.kind}`, 'aria-label': names[item.kind] ?? t('chat.note') });
    const drawn = { node, reply: null };
    this.drawn.set(item, drawn);
    this.drawItem(item, drawn);
    return node;
  }

  /** Brings the elements in line with the items. Only the end of a chat changes; anything else is shown anew. */
  arrange() {
    const { items } = this.chat;
    const before = this.sheets.slice(0, -1);
    const count = before.reduce((sum, sheet) => sum + sheet.items.length, 0);
    if (count > items.length || (count > 0 && before.at(-1).items.at(-1) !== items[count - 1])) return this.show(this.chat);
    const last = this.sheets.at(-1);
    this.fill(last);
    const wanted = items.slice(count);
    const there = new Set(wanted);
    for (const item of last.items) {
      if (there.has(item)) continue;
      this.drawn.get(item)?.node.remove();
      this.drawn.delete(item);
    }
    let next = /** @type {Element | null} */ (null);
    for (const item of wanted.toReversed()) {
      const node = this.drawn.get(item)?.node ?? this.newItem(item);
      if (node.parentNode !== last.node || node.nextElementSibling !== next) last.node.insertBefore(node, next);
      next = node;
    }
    last.items = wanted;
    this.log.classList.toggle('empty', items.length === 0 && this.chat.loaded);
    this.closeLast(last);
    return undefined;
  }

  /** A last sheet that has grown long gives its first half away. @param {Sheet} last */
  closeLast(last) {
    if (last.items.length < 2 * SHEET_ITEMS || last.items.slice(0, SHEET_ITEMS).some((item) => item.state === 'running')) return;
    const rest = last.items.splice(SHEET_ITEMS);
    const sheet = this.addSheet(rest);
    sheet.filled = true;
    sheet.node.append(...rest.map((item) => this.drawn.get(item).node));
    if (last.node.parentElement?.childElementCount === BOOK_SHEETS) this.addBook([sheet]);
    else last.node.after(sheet.node);
    this.openLast();
  }

  /**
   * Something of the shown chat changed: an item, or one of its blocks.
   * @param {any} item
   * @param {any} [block]
   */
  touch(item, block) {
    if (!block) this.due.set(item, null);
    else if (!this.due.has(item)) this.due.set(item, new Set([block]));
    else this.due.get(item)?.add(block);
    if (this.waiting) return;
    this.waiting = true;
    const draw = () => {
      this.waiting = false;
      this.drawDue();
    };
    // With the next frame; a window that is not seen has none.
    if (document.visibilityState === 'hidden') setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }

  drawDue() {
    const due = [...this.due];
    this.due.clear();
    if (!this.chat || due.length === 0) return;
    const count = this.sheets.reduce((sum, sheet) => sum + sheet.items.length, 0);
    if (count !== this.chat.items.length || due.some(([item]) => !this.drawn.has(item))) this.arrange();
    for (const [item, blocks] of due) {
      const drawn = this.drawn.get(item);
      if (!drawn) continue;
      if (blocks && drawn.reply) for (const block of blocks) drawn.reply.drawBlock(block);
      else this.drawItem(item, drawn);
    }
  }

  drawItem(item, drawn) {
    const { node } = drawn;
    switch (item.kind) {
      case 'reply':
        drawn.reply ??= new ReplyDrawing(item, node, this.actions);
        drawn.reply.draw();
        break;
      case 'user':
        node.replaceChildren(...this.userParts(item));
        break;
      case 'other':
        node.replaceChildren(element('h2', {}, item.name ?? t('chat.someone')), element('p', { class: 'as-written' }, item.text));
        break;
      case 'memory':
        node.replaceChildren(memoryNote(item, this.actions.undoMemory));
        break;
      case 'event':
        node.replaceChildren(element('p', { class: 'quiet' }, item.name === 'trusted' ? t('chat.trusted') : item.name ?? ''));
        break;
      default:
        node.replaceChildren(element('p', { class: 'problem' }, item.text));
    }
  }

  userParts(item) {
    const state = item.state === 'refused' ? t('chat.state.refused', { problem: item.problem }) : STATES.includes(item.state) ? t(/** @type {any} */ (`chat.state.${item.state}`)) : null;
    const attached = item.attachments.map((name) => element('li', {}, this.attachment(name)));
    const again = ['unsure', 'dropped', 'refused'].includes(item.state);
    return [
      attached.length ? element('ul', { class: 'chips attached', 'aria-label': t('chat.attached') }, ...attached) : null,
      item.text ? element('p', { class: 'as-written', title: item.at ? at(item.at) : null }, item.text) : null,
      state ? element('p', { class: 'state quiet' }, state) : null,
      again ? element('button', { type: 'button', onclick: () => this.actions.resend(item) }, icon('rotate-cw'), t('chat.again')) : null,
    ].filter(Boolean);
  }

  attachment(name) {
    const address = this.actions.fileAddress(name);
    const label = baseName(name);
    const gone = () => element('span', { class: 'quiet' }, `${label}: ${t('chat.gone')}`);
    if (PICTURE_NAME.test(name)) {
      return element('img', { src: address, alt: label, loading: 'lazy', onerror: ({ target }) => target.replaceWith(gone()) });
    }
    const link = element('a', { href: address, download: label }, icon('file-text'), label);
    this.actions.isThere?.(name).then((there) => there || link.replaceWith(gone()), () => {});
    return link;
  }

  /** Scrolls to the item a stored row belongs to, and marks it for a moment. @param {string} rowId @param {string} [quote] words in it */
  reveal(rowId, quote = '') {
    const item = this.chat.items.find(({ ids }) => ids?.includes(rowId));
    return item ? this.revealItem(item, quote) : false;
  }

  /** @param {any} item @param {string} [quote] */
  revealItem(item, quote = '') {
    const node = this.nodeOf(item);
    if (!node) return false;
    this.follow(false);
    const words = quote && wordsIn(node, quote);
    if (words) markWords(words);
    // A long message is taller than the window: its middle may be far from the words.
    (words ? words.startContainer.parentElement : node).scrollIntoView({ block: 'center' });
    node.classList.add('found');
    setTimeout(() => node.classList.remove('found'), FOUND_MS);
    return true;
  }
}

/** About how tall an item will be, so that the scrollbar tells the truth before it is drawn. */
function guessHeight(item) {
  const lines = (text) => Math.ceil((text?.length ?? 0) / 85) + (text?.split('\n').length ?? 0) / 2;
  if (item.kind !== 'reply') return 40 + lines(item.text) * 23;
  return 50 + item.blocks.reduce((sum, block) => sum + (block.kind === 'text' ? lines(block.text) * 24 : 38), 0);
}
