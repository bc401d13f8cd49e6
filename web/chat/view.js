// A chat on the screen. Every item has an element from the start, but one that is far away is only a frame of about the
// right height; it is filled when it comes near, or when the browser has time. So a chat of thousands of messages opens
// at once and scrolls smoothly, and the browser's own search finds every word of it after a moment.
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

const NEAR_THE_END_PX = 60;
/** Filled at once when a chat is shown: more than a tall window holds. */
const FILLED_FIRST = 14;
const FILL_AHEAD_PX = 1500;
const IDLE_SLICE_MS = 6;
const PICTURE_NAME = /\.(png|jpe?g|gif|webp)$/i;
const STATES = ['sending', 'joining', 'dropped', 'unsure'];

export class ChatView {
  /**
   * @param {HTMLElement} log the box that scrolls
   * @param {() => string} assistant its name
   * @param {any} actions `fileAddress`, `answer`, `respond`, `stopHelper`, `resend`, `undoMemory`, `keepGoing`
   */
  constructor(log, assistant, actions) {
    this.log = log;
    this.assistant = assistant;
    this.actions = {
      ...actions,
      prose: (text) => prose(text, { fileAddress: actions.fileAddress }),
      helpersOf: (callId) => [...(this.chat?.helpers.values() ?? [])].filter((helper) => helper.parent_call_id === callId),
    };
    this.items = element('div', { class: 'items' });
    this.aside = element('div', { class: 'asides' });
    this.stream = element('div', { class: 'stream' }, this.items, this.aside);
    log.append(this.stream);
    /** @type {Map<any, { node: HTMLElement, filled: boolean, reply: ReplyDrawing | null }>} */
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
    new ResizeObserver(() => this.following && this.toEnd()).observe(this.stream);
    new ResizeObserver(() => this.following && this.toEnd()).observe(this.log);
    this.near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.fill(this.itemOf.get(target));
    }, { root: this.log, rootMargin: `${FILL_AHEAD_PX}px 0px` });
    /** @type {WeakMap<Element, any>} */
    this.itemOf = new WeakMap();
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
    const same = this.chat === chat;
    const stay = same && !this.following ? this.log.scrollTop : null;
    this.chat = chat;
    this.near.disconnect();
    this.drawn.clear();
    this.due.clear();
    this.items.replaceChildren();
    this.arrange();
    for (const item of chat.items.slice(-FILLED_FIRST)) this.fill(item);
    if (stay === null) this.toEnd();
    else this.log.scrollTop = stay;
    this.fillWhenIdle();
  }

  /** Brings the elements in line with the items. */
  arrange() {
    const { items } = this.chat;
    if (this.drawn.size > 0) {
      const there = new Set(items);
      for (const [item, { node }] of this.drawn) {
        if (there.has(item)) continue;
        node.remove();
        this.drawn.delete(item);
      }
    }
    let next = /** @type {Element | null} */ (null);
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const { node } = this.frameOf(items[index]);
      if (node.parentNode !== this.items || node.nextElementSibling !== next) this.items.insertBefore(node, next);
      next = node;
    }
    this.log.classList.toggle('empty', items.length === 0 && this.chat.loaded);
  }

  /** The frame of an item; empty until it is filled. */
  frameOf(item) {
    const known = this.drawn.get(item);
    if (known) return known;
    const names = { user: t('chat.you'), reply: this.assistant(), other: item.name ?? t('chat.someone') };
    const node = element('article', { class: `item ${item.kind}`, 'aria-label': names[item.kind] ?? t('chat.note') });
    if (item.at) node.dataset.at = item.at;
    node.style.containIntrinsicSize = `auto ${guessHeight(item)}px`;
    const drawn = { node, filled: false, reply: null };
    this.drawn.set(item, drawn);
    this.itemOf.set(node, item);
    this.near.observe(node);
    return drawn;
  }

  /** Draws an item for the first time. */
  fill(item) {
    const drawn = this.drawn.get(item);
    if (!drawn || drawn.filled) return;
    drawn.filled = true;
    this.near.unobserve(drawn.node);
    this.drawItem(item, drawn);
  }

  fillWhenIdle() {
    const { chat } = this;
    let index = chat.items.length - 1;
    const slice = (deadline) => {
      if (this.chat !== chat) return;
      const until = performance.now() + Math.min(IDLE_SLICE_MS, deadline?.timeRemaining?.() ?? IDLE_SLICE_MS);
      while (index >= 0 && performance.now() < until) {
        this.fill(chat.items[index]);
        index -= 1;
      }
      if (index >= 0) requestIdleCallback(slice);
    };
    requestIdleCallback(slice);
  }

  /**
   * Something of the shown chat changed: an item, one of its blocks, or, without either, which items there are.
   * @param {any} [item]
   * @param {any} [block]
   */
  touch(item, block) {
    if (!item) this.due.set(this, null);
    else if (!block) this.due.set(item, null);
    else if (!this.due.has(item)) this.due.set(item, new Set([block]));
    else this.due.get(item)?.add(block);
    if (this.waiting) return;
    this.waiting = true;
    this.whenDrawn(() => {
      this.waiting = false;
      this.drawDue();
    });
  }

  /** With the next frame; a window that is not seen has none. */
  whenDrawn(draw) {
    if (document.visibilityState === 'hidden') setTimeout(draw, 200);
    else requestAnimationFrame(draw);
  }

  drawDue() {
    const due = [...this.due];
    this.due.clear();
    if (!this.chat) return;
    if (this.drawn.size !== this.chat.items.length || due.some(([item]) => !this.drawn.has(item))) this.arrange();
    for (const [item, blocks] of due) {
      const drawn = this.drawn.get(item);
      if (!drawn) continue;
      if (!drawn.filled) this.fill(item);
      else if (blocks && drawn.reply) for (const block of blocks) drawn.reply.drawBlock(block);
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

  /** Scrolls to the item a stored row belongs to, and marks it for a moment. @param {string} rowId */
  reveal(rowId) {
    const item = this.chat.items.find(({ ids }) => ids?.includes(rowId));
    const drawn = item && this.drawn.get(item);
    if (!drawn) return false;
    this.fill(item);
    this.follow(false);
    drawn.node.scrollIntoView({ block: 'center' });
    drawn.node.classList.add('found');
    setTimeout(() => drawn.node.classList.remove('found'), 2500);
    return true;
  }
}

/** About how tall an item will be, so that the scrollbar tells the truth before it is drawn. */
function guessHeight(item) {
  const lines = (text) => Math.ceil((text?.length ?? 0) / 85) + (text?.split('\n').length ?? 0) / 2;
  if (item.kind !== 'reply') return 40 + lines(item.text) * 23;
  return 50 + item.blocks.reduce((sum, block) => sum + (block.kind === 'text' ? lines(block.text) * 24 : 38), 0);
}
