// Builds DOM nodes from the tokens of a text. Text only ever becomes text nodes, and only elements named here come out:
// no markup of the source is taken over. No address is loaded except pictures the engine itself serves.

import { codeBlock } from './code.js';
import { formula } from './formula.js';
import { outsideLink, safeAddress, whereTo } from './links.js';
import { outermost, read } from './reader.js';
import { t } from '../text/index.js';

/** @typedef {import('./reader.js').Token} Token */
/** @typedef {{fileAddress?: ((name: string) => string) | null}} Options `fileAddress` adds the token to a file's address */

const COLUMNS_MAX = 40;
const FILES = '/api/files/content/';
const MARKS = { em: 'em', strong: 'strong', s: 's' };

/**
 * The whole of `source` as nodes.
 * @param {string} source
 * @param {Options} options
 */
export function prose(source, options = {}) {
  const fragment = document.createDocumentFragment();
  for (const block of outermost(read(source))) fragment.append(...build(block, options));
  return fragment;
}

/** @param {string} name @param {...(Node | string)} children */
const make = (name, ...children) => {
  const node = document.createElement(name);
  node.append(...children);
  return node;
};

/** A box that scrolls sideways by itself, also by keyboard. */
const wide = (label, node) => {
  const around = make('div', node);
  around.className = 'wide';
  around.tabIndex = 0;
  around.setAttribute('role', 'region');
  around.setAttribute('aria-label', label);
  return around;
};

/**
 * The nodes of some tokens that belong together.
 * @param {Token[]} tokens
 * @param {Options} options
 * @returns {Node[]}
 */
export function build(tokens, options) {
  const root = document.createDocumentFragment();
  const open = [/** @type {DocumentFragment | HTMLElement} */ (root)];
  for (const token of tokens) {
    const parent = open.at(-1);
    if (token.nesting === 1) {
      open.push(token.hidden ? parent : inside(parent.appendChild(container(token))));
    } else if (token.nesting === -1) {
      finish(token, open.pop());
    } else {
      parent.append(...leaf(token, options));
    }
  }
  return [...root.childNodes];
}

/** @param {Token} token */
function container(token) {
  switch (token.tag) {
    case 'h1': case 'h2': case 'h3': case 'h4': case 'h5': case 'h6':
      // The page has its own h1 and each message is below it.
      return make(`h${Math.min(Number(token.tag[1]) + 2, 6)}`);
    case 'ol': {
      const list = /** @type {HTMLOListElement} */ (make('ol'));
      const start = Number(token.attrGet('start') ?? 1);
      if (start !== 1) list.start = start;
      return list;
    }
    case 'table':
      return wide(t('chat.table'), make('table'));
    case 'th': case 'td': {
      const cell = make(token.tag);
      if (token.tag === 'th') cell.setAttribute('scope', 'col');
      const align = /right|center/.exec(token.attrGet('style') ?? '');
      if (align) cell.className = align[0];
      return cell;
    }
    case 'p': case 'ul': case 'li': case 'blockquote': case 'thead': case 'tbody': case 'tr':
      return make(token.tag);
    default:
      return make('div');
  }
}

/** Where the parts of a container go: a table stands in a box that scrolls. @param {HTMLElement} node */
const inside = (node) => (node.matches('.wide') ? /** @type {HTMLElement} */ (node.firstChild) : node);

/** What can only be said once all of a container is there. @param {Token} token @param {Node} node */
function finish(token, node) {
  if (token.tag === 'li') taskMark(/** @type {HTMLElement} */ (node));
  if (token.tag === 'tr') while (node.childNodes.length > COLUMNS_MAX) node.lastChild.remove();
}

/** `[ ]` and `[x]` at the beginning of an item are boxes that nobody can tick here. @param {HTMLElement} item */
function taskMark(item) {
  const first = item.firstChild?.nodeName === 'P' ? item.firstChild.firstChild : item.firstChild;
  if (first?.nodeType !== Node.TEXT_NODE) return;
  const found = /^\[([ xX])\] /.exec(first.textContent);
  if (!found) return;
  first.textContent = first.textContent.slice(found[0].length);
  const done = found[1] !== ' ';
  const mark = make('span', done ? '☑' : '☐', ' ');
  mark.className = 'task';
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', done ? t('chat.task.done') : t('chat.task.open'));
  item.classList.add('is-task');
  first.before(mark);
}

/** @param {Token} token @param {Options} options @returns {(Node | string)[]} */
function leaf(token, options) {
  switch (token.type) {
    case 'inline':
      return inline(token.children ?? [], options);
    case 'fence':
      return [codeBlock(token.content.replace(/\n$/, ''), token.info.trim().split(/\s/)[0])];
    case 'code_block':
      return [codeBlock(token.content.replace(/\n$/, ''), '')];
    case 'hr':
      return [make('hr')];
    case 'formula_block':
      return [formula(token.content, true)];
    default:
      return token.content ? [token.content] : [];
  }
}

/** @param {Token[]} tokens @param {Options} options @returns {Node[]} */
function inline(tokens, options) {
  const root = document.createDocumentFragment();
  const open = [/** @type {DocumentFragment | HTMLElement} */ (root)];
  const links = [];
  for (const token of tokens) {
    const parent = open.at(-1);
    if (token.type === 'link_open') {
      links.push(token.attrGet('href') ?? '');
      const url = safeAddress(links.at(-1));
      open.push(url ? parent.appendChild(outsideLink(url)) : parent);
    } else if (token.type === 'link_close') {
      closeLink(links.pop(), open.pop(), open.at(-1));
    } else if (token.nesting === 1) {
      open.push(parent.appendChild(make(MARKS[token.tag] ?? 'span')));
    } else if (token.nesting === -1) {
      open.pop();
    } else {
      parent.append(...piece(token, options, links.length > 0));
    }
  }
  root.normalize();
  return [...root.childNodes];
}

/** A link is followed by where it leads, when its words do not say so. */
function closeLink(address, node, parent) {
  const url = safeAddress(address);
  const where = url ? whereTo(node.textContent, url) : new Text(` (${address})`);
  if (where) parent.appendChild(where);
}

/** @param {Token} token @param {Options} options @param {boolean} inLink @returns {(Node | string)[]} */
function piece(token, options, inLink) {
  switch (token.type) {
    case 'text': case 'text_special':
      return [token.content];
    case 'code_inline':
      return [make('code', token.content)];
    case 'softbreak': case 'hardbreak':
      return [make('br')];
    case 'formula':
      return [formula(token.content, token.markup === '$$')];
    case 'image':
      return picture(token, options, inLink);
    default:
      return [token.content];
  }
}

/** Whether the address is a stored file's, and no way out of their folder however it is spelled. @param {string} address */
function isStoredFile(address) {
  if (!address.startsWith(FILES)) return false;
  try {
    const name = decodeURIComponent(address.slice(FILES.length));
    return !/[\\\0]/.test(name) && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  } catch {
    return false;
  }
}

/** A picture of the engine is shown; one from outside is only named, with a link. */
/** @param {Token} token @param {Options} options @param {boolean} inLink @returns {(Node | string)[]} */
function picture(token, { fileAddress }, inLink) {
  const address = token.attrGet('src') ?? '';
  const label = token.content || t('chat.picture');
  if (fileAddress && isStoredFile(address)) {
    const node = /** @type {HTMLImageElement} */ (make('img'));
    node.alt = label;
    node.loading = 'lazy';
    node.src = fileAddress(address.slice(FILES.length));
    return [node];
  }
  const url = safeAddress(address);
  if (!url || inLink) return [`${label} (${address})`];
  const node = make('span', make('span', t('chat.picture.outside', { name: label })), ' ');
  node.className = 'outside-picture';
  const link = outsideLink(url);
  link.append(t('chat.picture.open'));
  node.append(link, whereTo('', url));
  return [node];
}
