// A text that grows: only its last block is read and drawn again, whatever stands before it is left alone. Of a list and
// of a table that are still being written only the last item or row is, and an open block of code only gets its new
// letters. What comes out is the same as from reading the whole text at once; a test compares the two at every cut.

import { colourAll } from './code.js';
import { patch, patchText } from './patch.js';
import { build } from './prose.js';
import { outermost, read } from './reader.js';

/** @typedef {import('./reader.js').Token} Token */
/**
 * @typedef {object} Partial a list or table of which all but the last part is drawn for good
 * @property {string} kind the type of its first token
 * @property {string} markup what its items begin with
 * @property {Element} node the list, or the body of the table
 * @property {number} from where it begins in the text
 * @property {boolean} loose whether its items hold paragraphs
 * @property {string} head the first lines of a table, without which its rows are none
 */

const FENCE = /^(`{3,}|~{3,})[^\n]*\n/;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
/** A line of which only marks are there yet: what it will be, and whether it ends the block before it, is not known. */
const ONLY_MARKS = /^(?:[\s\-*_=+#`~$|>\d.):\\[\]]*|[ \t]*(?:`{3}|~{3}|\$\$|\\\[).*)$/;
const isContainer = ({ type }) => ['bullet_list_open', 'ordered_list_open', 'table_open'].includes(type);

export class StreamedProse {
  /**
   * @param {HTMLElement} root
   * @param {import('./prose.js').Options} options
   */
  constructor(root, options) {
    this.root = root;
    this.options = options;
    this.reset();
  }

  reset() {
    this.text = '';
    /** Up to here the text is drawn for good. */
    this.settled = 0;
    /** The nodes of what may still change; they are the last of `root`, or of `partial.node`. @type {ChildNode[]} */
    this.open = [];
    /** @type {Partial | null} */
    this.partial = null;
    /** @type {{ from: number, closes: RegExp, node: Text, looked: number } | null} */
    this.fence = null;
    this.ended = false;
    this.root.replaceChildren();
  }

  /**
   * Shows `text`. When it is the old text with more behind it, the work depends only on what is open.
   * @param {string} text
   * @param {boolean} ended nothing more will come
   */
  update(text, ended = false) {
    const clean = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    // A link may be defined behind the place that uses it, so a text with definitions is read once more at its end.
    if (this.ended && clean === this.text) return;
    if (this.ended || !clean.startsWith(this.text) || (ended && DEFINITION.test(clean))) this.reset();
    this.ended = ended;
    this.text = clean;
    if (!ended && this.growFence()) return;
    if (!ended) this.text = steady(clean);
    this.grow(ended);
    if (ended) colourAll([this.root]);
  }

  grow(ended) {
    this.fence = null;
    const head = this.partial?.head ?? '';
    const source = head + this.text.slice(this.settled);
    const blocks = outermost(read(source));
    const shift = this.settled - head.length;
    const starts = lineStarts(source);
    const at = (token) => starts[token.map?.[0] ?? 0] + shift;
    if (this.partial && !this.goOn(blocks, ended, at)) return this.grow(ended);
    blocks.forEach((block, index) => {
      this.open = patch(this.root, this.open, build(block, this.options));
      if (index < blocks.length - 1 || ended) {
        colourAll(this.open);
        this.open = [];
        return;
      }
      this.settled = at(block[0]);
      if (block[0].type === 'fence') this.openFence();
      else if (isContainer(block[0])) this.openContainer(block, source, starts, at);
    });
    if (blocks.length === 0 && !this.partial) this.open = patch(this.root, this.open, []);
    return undefined;
  }

  /**
   * Draws the first block as the rest of what is partly drawn, and takes it out of `blocks`. Answers false when the
   * whole has to be drawn anew, because its items turned out to hold paragraphs.
   */
  goOn(blocks, ended, at) {
    const { partial } = this;
    const [first] = blocks;
    const fits = first?.[0].type === partial.kind && first[0].markup === partial.markup;
    const parts = fits ? partsOf(first) : [];
    if (fits && partial.kind !== 'table_open') {
      if (!partial.loose && isLoose(first)) {
        partial.node.remove();
        Object.assign(this, { settled: partial.from, partial: null, open: [] });
        return false;
      }
      if (partial.loose) loosen(first);
    }
    this.open = patch(partial.node, this.open, parts.flatMap((part) => build(part, this.options)));
    if (fits) blocks.shift();
    if (blocks.length > 0 || ended) {
      this.partial = null;
      this.open = [];
    } else if (parts.length > 0) {
      this.settled = at(parts.at(-1)[0]);
      this.open = this.open.slice(-1);
    }
    return true;
  }

  /** A list or table with more than one part: all but the last are drawn for good. */
  openContainer(block, source, starts, at) {
    const parts = partsOf(block);
    const kind = block[0].type;
    if (parts.length < 2 || (kind !== 'table_open' && !isLoose(block) && !parts.every(hasParagraph))) return;
    const top = /** @type {Element} */ (this.open[0]);
    const node = kind === 'table_open' ? top.querySelector('tbody') : top;
    const rows = parts[0][0].map[0];
    const head = kind === 'table_open' ? source.slice(starts[block[0].map[0]], starts[rows]) : '';
    this.partial = { kind, markup: block[0].markup, node, from: at(block[0]), loose: isLoose(block), head };
    this.settled = at(parts.at(-1)[0]);
    this.open = [node.lastChild];
  }

  openFence() {
    const raw = this.text.slice(this.settled);
    const found = FENCE.exec(raw);
    const code = this.root.lastElementChild.querySelector('code');
    if (!found || !code) return;
    const closes = new RegExp(`^ {0,3}${found[1][0]}{${found[1].length},}[ \\t]*$`, 'm');
    if (closes.test(raw.slice(found[0].length))) return;
    if (!code.firstChild) code.append('');
    this.fence = { from: this.settled + found[0].length, closes, node: /** @type {Text} */ (code.firstChild), looked: 0 };
    this.growFence();
  }

  /** Adds new letters to the open block of code; false when there is none, or it has come to its end. */
  growFence() {
    const { fence } = this;
    if (!fence) return false;
    const content = this.text.slice(fence.from);
    if (fence.closes.test(content.slice(fence.looked))) return false;
    fence.looked = content.lastIndexOf('\n') + 1;
    // A last line that may yet become the end is not shown.
    const last = content.slice(fence.looked);
    const shown = /^ {0,3}[`~]*[ \t]*$/.test(last) ? content.slice(0, Math.max(0, fence.looked - 1)) : content;
    patchText(fence.node, shown);
    return true;
  }
}

/** The text without a last line that may still become anything. @param {string} text */
function steady(text) {
  const last = text.lastIndexOf('\n') + 1;
  return ONLY_MARKS.test(text.slice(last)) ? text.slice(0, last) : text;
}

/** Where each line begins. @param {string} source */
function lineStarts(source) {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The items of a list, or the rows of a table's body. @param {Token[]} block @returns {Token[][]} */
function partsOf(block) {
  if (block[0].type !== 'table_open') return outermost(block.slice(1, -1));
  const body = block.findIndex(({ type }) => type === 'tbody_open');
  const end = block.findIndex(({ type }) => type === 'tbody_close');
  return body < 0 ? [] : outermost(block.slice(body + 1, end));
}

const isDirect = (token, level) => token.type === 'paragraph_open' && token.level === level + 2;

/** @param {Token[]} list */
const isLoose = (list) => list.some((token) => isDirect(token, list[0].level) && !token.hidden);
/** @param {Token[]} item */
const hasParagraph = (item) => item.some((token) => token.type === 'paragraph_open' && token.level === item[0].level + 1);

/** Paragraphs of the items are shown as such. @param {Token[]} list */
function loosen(list) {
  for (const token of list) {
    if (/^paragraph_/.test(token.type) && token.level === list[0].level + 2) token.hidden = false;
  }
}
