// Draws one reply: its blocks in order, each with one element, and what stands below them. Only what changed is drawn
// again; a growing text is drawn by `streamed.js`.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { hashOf } from '../shell/router.js';
import { t } from '../text/index.js';
import { drawCall, newCallNode } from './call.js';
import { copied } from './code.js';
import { patchText } from './patch.js';
import { sourceList } from './sources.js';
import { StreamedProse } from './streamed.js';

/** @typedef {{ node: HTMLElement, prose?: StreamedProse }} Drawn */

export class ReplyDrawing {
  /**
   * @param {any} item
   * @param {HTMLElement} node
   * @param {any} actions
   */
  constructor(item, node, actions) {
    this.item = item;
    this.node = node;
    this.actions = actions;
    /** @type {Map<any, Drawn>} */
    this.blocks = new Map();
    this.foot = element('footer', {});
    node.append(this.foot);
  }

  /** Draws all of it. */
  draw() {
    const { item, node } = this;
    node.classList.toggle('failed', item.state === 'failed');
    node.setAttribute('aria-busy', String(item.state === 'running'));
    for (const block of item.blocks) this.drawBlock(block);
    for (const [block, drawn] of this.blocks) {
      if (item.blocks.includes(block)) continue;
      drawn.node.remove();
      this.blocks.delete(block);
    }
    this.drawFoot();
  }

  /** Draws one block, which may be new. @param {any} block */
  drawBlock(block) {
    let drawn = this.blocks.get(block);
    if (!drawn) {
      drawn = this.newBlock(block);
      this.blocks.set(block, drawn);
      this.place(block, drawn.node);
      if (this.item.state === 'running') this.settleBefore(block);
    }
    const isOpen = this.item.state === 'running' && this.item.blocks.at(-1) === block;
    if (block.kind === 'text') drawn.prose.update(block.text, !isOpen);
    else if (block.kind === 'thinking') this.drawThinking(block, drawn.node, isOpen);
    else if (block.kind === 'call') drawCall(block, drawn.node, this.actions);
  }

  /** Where the block stands; nearly always at the end. */
  place(block, node) {
    const { blocks } = this.item;
    const index = blocks.at(-1) === block ? blocks.length - 1 : blocks.indexOf(block);
    const after = blocks.slice(index + 1).map((later) => this.blocks.get(later)?.node).find(Boolean);
    this.node.insertBefore(node, after ?? this.foot);
  }

  /** A block that another follows will not grow any more. */
  settleBefore(block) {
    const before = this.item.blocks[this.item.blocks.indexOf(block) - 1];
    if (before && this.blocks.has(before) && before.kind !== 'call') this.drawBlock(before);
    this.drawFoot();
  }

  /** @returns {Drawn} */
  newBlock(block) {
    switch (block.kind) {
      case 'text': {
        const node = element('div', { class: 'prose' });
        return { node, prose: new StreamedProse(node, { fileAddress: this.actions.fileAddress }) };
      }
      case 'thinking':
        return { node: element('details', { class: 'thinking' }, element('summary', {}, icon('sparkles'), element('span', {})), element('p', { class: 'as-written' }, new Text(''))) };
      case 'call':
        return { node: newCallNode(block) };
      case 'steer':
        return { node: element('p', { class: 'steer as-written' }, element('span', { class: 'unseen' }, t('chat.added')), ' ', block.text) };
      case 'error':
        return { node: this.problem(block) };
      default:
        return { node: element('p', { class: 'notice' }, icon('info'), element('span', {}, block.text)) };
    }
  }

  problem(block) {
    if (block.note) return element('p', { class: 'notice' }, icon('info'), element('span', {}, block.text));
    const local = block.code === 'local_only' || block.code === 'budget_reached';
    const more = block.code === 'budget_reached'
      ? element('button', { type: 'button', onclick: () => this.actions.keepGoing() }, t('chat.keepGoing'))
      : local ? element('a', { class: 'button', href: hashOf('settings', 'models') }, t('chat.openModels')) : null;
    return element('div', { class: 'problem-card', role: 'alert' }, icon('circle-alert'), element('p', {}, block.text), more);
  }

  drawThinking(block, node, isOpen) {
    const [summary, text] = node.children;
    summary.lastElementChild.textContent = t(isOpen ? 'chat.thinking' : 'chat.thought');
    node.classList.toggle('now', isOpen);
    patchText(text.firstChild, block.text);
  }

  drawFoot() {
    const { item, foot } = this;
    const parts = [];
    if (item.state === 'running' && item.blocks.length === 0) parts.push(element('p', { class: 'waiting quiet' }, element('span', { class: 'pulse' }), t('chat.thinking')));
    if (item.state === 'stopped') parts.push(element('p', { class: 'state quiet' }, t('chat.stopped')));
    if (item.state === 'failed') parts.push(element('p', { class: 'state quiet' }, t('chat.failed')));
    if (item.state !== 'running') {
      parts.push(...sourceList(item, this.actions.fileAddress));
      const said = item.blocks.filter(({ kind }) => kind === 'text').map(({ text }) => text).join('\n\n');
      if (said) parts.push(copyButton(said));
    }
    foot.replaceChildren(...parts);
  }
}

/** @param {string} text */
export function copyButton(text) {
  const label = element('span', {}, t('chat.copy'));
  return element('button', { type: 'button', class: 'copy-all small', 'aria-label': t('chat.copy.reply'), onclick: () => copied(label, text) }, icon('copy'), label);
}
