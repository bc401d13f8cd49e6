// A chat on the screen: each item and block of the conversation has one element, and only what changed is drawn again.
// All text of the engine becomes text nodes. What a button does is handed in; nothing here talks to the engine.

import { approvalCard } from './approval.js';
import { baseName, element, shown, spoken } from '../shell/dom.js';
import { anchor, markdown } from './markdown.js';

const NEAR_THE_END_PX = 80;
const PICTURE_NAME = /\.(png|jpe?g|gif|webp)$/i;

const USER_STATES = {
  sending: 'Sending…',
  joining: 'Joins the reply',
  dropped: 'Not sent: the reply was stopped before it',
  unsure: 'It is not known whether this arrived',
};

const CALL_STATES = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  declined: 'declined',
  ended: 'ended',
};

export class ChatView {
  /** `actions`: `fileAddress(name)`, `answer(approval, decision)`, `resend(item)`. */
  constructor(log, assistant, actions) {
    this.log = log;
    this.assistant = assistant;
    this.actions = actions;
    this.drawn = new Map(); // item -> {element, blocks: Map(block -> element)}
    this.due = new Map(); // text blocks to draw at the next frame
  }

  show(chat) {
    this.chat = chat;
    this.drawn.clear();
    this.due.clear();
    this.log.replaceChildren();
    this.arrange();
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Brings the order of the elements in line with the items; draws the new ones. */
  arrange() {
    this.keepingPlace(() => {
      const wanted = this.chat.items.map((item) => this.drawnItem(item).element);
      for (const [item, { element: node }] of this.drawn) {
        if (!this.chat.items.includes(item)) {
          node.remove();
          this.drawn.delete(item);
        }
      }
      wanted.forEach((node, index) => {
        if (this.log.children[index] !== node) this.log.insertBefore(node, this.log.children[index] ?? null);
      });
      const empty = this.chat.items.length === 0 && this.chat.loaded;
      this.log.classList.toggle('empty', empty);
    });
  }

  touch(item, block) {
    const same = this.drawn.size === this.chat.items.length;
    if (!same || !item || !this.drawn.has(item)) this.arrange();
    if (!item || !this.drawn.has(item)) return;
    if (block?.kind === 'text' || block?.kind === 'thinking') this.later(item, block);
    else this.keepingPlace(() => (block ? this.drawBlock(item, block) : this.drawItem(item)));
  }

  /** Many deltas are drawn once; a long text, which costs more, less often. */
  later(item, block) {
    this.due.set(block, item);
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => requestAnimationFrame(() => {
      this.waiting = false;
      const began = performance.now();
      const due = [...this.due];
      this.due.clear();
      this.keepingPlace(() => due.forEach(([text, of]) => this.drawn.has(of) && this.drawBlock(of, text)));
      this.pause = Math.min((performance.now() - began) * 4, 400);
    }), this.pause ?? 0);
  }

  /** Follows the end of the conversation, unless the person has scrolled up to read. */
  keepingPlace(draw) {
    const { log } = this;
    const follows = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_THE_END_PX;
    draw();
    if (follows) log.scrollTop = log.scrollHeight;
  }

  drawnItem(item) {
    if (!this.drawn.has(item)) {
      const name = item.kind === 'user' ? 'You' : item.kind === 'reply' ? this.assistant() : item.name ?? 'Note';
      const node = element('article', { class: `item ${item.kind}`, 'aria-label': name });
      this.drawn.set(item, { element: node, blocks: new Map() });
      this.drawItem(item);
    }
    return this.drawn.get(item);
  }

  drawItem(item) {
    const { element: node } = this.drawn.get(item);
    if (item.kind === 'reply') this.drawReply(item, node);
    else if (item.kind === 'user') node.replaceChildren(...this.userParts(item));
    else if (item.kind === 'other') node.replaceChildren(element('h2', {}, item.name), element('p', { class: 'as-written' }, item.text));
    else node.replaceChildren(element('p', { class: item.problem ? 'problem' : 'quiet' }, item.text));
  }

  userParts(item) {
    const state = item.state === 'refused' ? `Not sent: ${item.problem}` : USER_STATES[item.state];
    const attached = item.attachments.map((name) => element('li', {}, this.attachment(name)));
    const again = item.state === 'unsure' || item.state === 'dropped' || item.state === 'refused';
    return [
      item.text ? element('p', { class: 'as-written' }, item.text) : null,
      attached.length ? element('ul', { class: 'chips', 'aria-label': 'Attached files' }, ...attached) : null,
      state ? element('p', { class: 'state quiet' }, state) : null,
      again ? element('button', { type: 'button', onclick: () => this.actions.resend(item) }, 'Send again') : null,
    ].filter(Boolean);
  }

  attachment(name) {
    const address = this.actions.fileAddress(name);
    const label = baseName(name);
    if (!PICTURE_NAME.test(name)) return element('a', { href: address, download: label }, label);
    const gone = ({ target }) => target.replaceWith(element('span', { class: 'quiet' }, `${label}: No longer available`));
    return element('img', { src: address, alt: label, onerror: gone });
  }

  drawReply(item, node) {
    const { blocks } = this.drawn.get(item);
    node.classList.toggle('failed', item.state === 'failed');
    node.setAttribute('aria-busy', String(item.state === 'running'));
    for (const block of item.blocks) this.drawBlock(item, block);
    for (const [block, drawn] of blocks) {
      if (!item.blocks.includes(block)) {
        drawn.remove();
        blocks.delete(block);
      }
    }
    node.querySelector(':scope > footer')?.remove();
    const foot = this.foot(item);
    if (foot) node.append(foot);
  }

  foot(item) {
    const states = { stopped: 'Stopped', failed: 'This reply failed; nothing of it was saved' };
    const parts = [];
    if (item.state === 'running' && item.blocks.length === 0) parts.push(element('p', { class: 'quiet' }, 'Thinking…'));
    if (states[item.state]) parts.push(element('p', { class: 'state quiet' }, states[item.state]));
    if (item.sources.length) {
      const rows = item.sources.map((source) => element('li', {}, sourceParts(source)));
      parts.push(element('details', {}, element('summary', {}, `Sources (${rows.length})`), element('ul', {}, ...rows)));
    }
    if (item.memories.length) {
      const rows = item.memories.map((memory) => element('li', {}, memory.text));
      const summary = element('summary', {}, `In mind (${rows.length})`);
      parts.push(element('details', {}, summary, element('ul', {}, ...rows)));
    }
    return parts.length ? element('footer', {}, ...parts) : null;
  }

  drawBlock(item, block) {
    const { element: node, blocks } = this.drawn.get(item);
    let drawn = blocks.get(block);
    if (!drawn) {
      drawn = this.newBlock(block);
      blocks.set(block, drawn);
      const after = item.blocks.slice(item.blocks.indexOf(block) + 1).map((later) => blocks.get(later)).find(Boolean);
      node.insertBefore(drawn, after ?? node.querySelector(':scope > footer'));
      if (item.state === 'running') node.querySelector(':scope > footer')?.remove();
    }
    if (block.kind === 'text') drawn.replaceChildren(markdown(block.text, this.actions.fileAddress));
    else if (block.kind === 'thinking') drawn.lastElementChild.textContent = block.text;
    else if (block.kind === 'call') this.drawCall(block, drawn);
  }

  newBlock(block) {
    switch (block.kind) {
      case 'text':
        return element('div', { class: 'prose' });
      case 'thinking':
        return element('details', { class: 'thinking' }, element('summary', {}, 'Thinking'), element('p', { class: 'as-written' }));
      case 'call':
        return element('section', { class: 'call', 'aria-label': spoken(block.name) });
      case 'steer':
        return element('p', { class: 'steer as-written' }, element('span', { class: 'unseen' }, 'You added: '), block.text);
      case 'error':
        return element('p', { class: 'problem', role: 'alert' }, block.text);
      default:
        return element('p', { class: 'notice' }, block.text);
    }
  }

  drawCall(call, node) {
    node.dataset.state = call.state;
    const wasOpen = node.querySelector(':scope > details')?.open ?? false;
    const asking = call.approval?.state === 'open';
    const state = asking ? 'waits for you' : call.status || CALL_STATES[call.state];
    const took = call.ms === null ? '' : `, ${duration(call.ms)}`;
    const line = [element('b', {}, spoken(call.name)), ' ', element('span', { class: 'quiet' }, state + took)];
    // While it asks, the card itself unfolds what the call would do.
    const details = asking
      ? element('p', { class: 'asked' }, ...line)
      : element('details', { open: wasOpen }, element('summary', {}, ...line), ...callParts(call));
    const message = typeof call.result?.error === 'string' ? call.result.error : null;
    const card = call.approval ? this.card(call, node) : null;
    node.replaceChildren(...[
      details,
      message && call.state !== 'done' ? element('p', { class: 'notice' }, message) : null,
      call.picture ? element('img', { src: call.picture, alt: `What ${spoken(call.name)} sees` }) : null,
      card,
    ].filter(Boolean));
  }

  /** The card of a question keeps its element while it is open, so that a button does not lose the focus. */
  card(call, node) {
    const old = node.querySelector(':scope > .approval');
    if (old?.dataset.state === call.approval.state) return old;
    return approvalCard(call, this.actions.answer);
  }
}

function sourceParts(source) {
  const around = document.createDocumentFragment();
  const title = source.title || source.url || source.file || source.app;
  around.append(source.url ? anchor(title, title, source.url) : title);
  if (source.from) around.append(`, from ${source.from}`);
  return around;
}

function callParts(call) {
  const parts = [];
  const add = (label, value) => {
    parts.push(element('h3', {}, label), element('pre', { tabindex: 0, role: 'region', 'aria-label': label }, shown(value)));
  };
  if (call.args !== null) add('Asked with', call.args);
  if (call.output) add('Output', call.output);
  if (call.result !== null) add('Result', call.result);
  return parts;
}

const duration = (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
