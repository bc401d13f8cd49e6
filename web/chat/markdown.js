// Markdown as models write it, turned into DOM nodes. Text only ever becomes text: no markup of the source is taken
// over, no address is loaded except pictures the engine itself serves, and only http, https and mailto become links.

const DEPTH_MAX = 8;
const LABEL_CHARS_MAX = 1000;
const ADDRESS_CHARS_MAX = 2000;
const SHOWN_ADDRESS_CHARS_MAX = 60;
const TABLE_COLUMNS_MAX = 20;
const FILES = '/api/files/content/';

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const BARE_ADDRESS = /https?:\/\/[^\s<>"'`\\^{}|]+/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

const make = (name, ...children) => {
  const node = document.createElement(name);
  node.append(...children);
  return node;
};

/**
 * Reads `source` into a fragment. `fileAddress` turns a path under `/api/files/content/` into one that may be loaded
 * (it adds the token); without it pictures become links.
 */
export function markdown(source, fileAddress = null) {
  const lines = source.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n');
  const fragment = document.createDocumentFragment();
  blocks(lines, fragment, { fileAddress }, 0);
  return fragment;
}

function blocks(lines, parent, options, depth) {
  let at = 0;
  while (at < lines.length) {
    if (lines[at].trim() === '') at += 1;
    else at = block(lines, at, parent, options, depth);
  }
}

/** Reads one block that begins at `at`; answers where the next one begins. */
function block(lines, at, parent, options, depth) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence, parent);
  const heading = HEADING.exec(line);
  if (heading) {
    // The page has its own h1 and each message is below it.
    parent.append(make(`h${Math.min(heading[1].length + 2, 6)}`, inline(heading[2], options)));
    return at + 1;
  }
  if (RULE.test(line)) {
    parent.append(make('hr'));
    return at + 1;
  }
  if (depth < DEPTH_MAX && QUOTE.test(line)) return quote(lines, at, parent, options, depth);
  if (depth < DEPTH_MAX && ITEM.test(line)) return list(lines, at, parent, options, depth);
  if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && lines[at + 1].includes('-')) {
    return table(lines, at, parent, options);
  }
  return paragraph(lines, at, parent, options);
}

function code(lines, at, fence, parent) {
  const closes = new RegExp(`^ {0,3}${fence[1][0]}{${fence[1].length},}[ ]*$`);
  let end = at + 1;
  while (end < lines.length && !closes.test(lines[end])) end += 1;
  const block = make('pre', make('code', lines.slice(at + 1, end).join('\n')));
  block.tabIndex = 0; // a keyboard can scroll a wide one
  block.setAttribute('role', 'region');
  block.setAttribute('aria-label', fence[2] ? `Code, ${fence[2]}` : 'Code');
  parent.append(block);
  return end + 1; // a fence still open while the reply is being written runs to the end
}

function quote(lines, at, parent, options, depth) {
  const inside = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const found = QUOTE.exec(lines[end]);
    if (!found) break;
    inside.push(found[1]);
  }
  const node = make('blockquote');
  blocks(inside, node, options, depth + 1);
  parent.append(node);
  return end;
}

function list(lines, at, parent, options, depth) {
  const first = ITEM.exec(lines[at]);
  const ordered = /\d/.test(first[2]);
  const node = make(ordered ? 'ol' : 'ul');
  if (ordered && parseInt(first[2], 10) !== 1) node.start = parseInt(first[2], 10);
  const indent = first[1].length;
  let end = at;
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]);
    if (!found || found[1].length > indent + 3 || found[1].length < indent || /\d/.test(found[2]) !== ordered) break;
    const inside = [found[3] ?? ''];
    for (end += 1; end < lines.length; end += 1) {
      const line = lines[end];
      const deep = line.length - line.trimStart().length;
      if (line.trim() === '') {
        const next = lines.slice(end + 1).find((later) => later.trim() !== '') ?? '';
        if (next.length - next.trimStart().length <= indent) break;
        inside.push('');
      } else if (deep > indent) {
        inside.push(line.slice(Math.min(deep, indent + found[2].length + 1)));
      } else if (ITEM.test(line) || inside.at(-1) === '' || starts(line)) {
        break;
      } else {
        inside.push(line); // the paragraph of the item goes on
      }
    }
    const item = make('li');
    blocks(inside, item, options, depth + 1);
    const only = item.children.length === 1 ? item.firstElementChild : null;
    if (only?.tagName === 'P') only.replaceWith(...only.childNodes); // a tight item needs no paragraph
    node.append(item);
    while (end < lines.length && lines[end].trim() === '' && ITEM.test(lines[end + 1] ?? '')) end += 1;
  }
  parent.append(node);
  return end;
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).slice(0, TABLE_COLUMNS_MAX).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function table(lines, at, parent, options) {
  const names = cells(lines[at]);
  const head = make('tr', ...names.map((cell) => make('th', inline(cell, options))));
  for (const cell of head.children) cell.scope = 'col';
  const body = make('tbody');
  let end = at + 2;
  for (; end < lines.length && lines[end].includes('|'); end += 1) {
    const row = cells(lines[end]);
    body.append(make('tr', ...names.map((_, column) => make('td', inline(row[column] ?? '', options)))));
  }
  const around = make('div', make('table', make('thead', head), body));
  around.className = 'wide';
  around.tabIndex = 0;
  around.setAttribute('role', 'region');
  around.setAttribute('aria-label', 'Table');
  parent.append(around);
  return end;
}

const starts = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line);

function paragraph(lines, at, parent, options) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== '' && !starts(lines[end]) && !ITEM.test(lines[end])) end += 1;
  const text = lines.slice(at, end).map((line) => line.trimStart()).join('\n');
  parent.append(make('p', inline(text, options)));
  return end;
}

/** Text inside a block: code, emphasis, links, line breaks. */
function inline(text, options, depth = 0, inLink = false) {
  const out = document.createDocumentFragment();
  const open = new Set(); // marks known to have no partner further on
  let plain = '';
  const flush = () => {
    if (plain) out.append(plain);
    plain = '';
  };
  const put = (node) => {
    flush();
    out.append(node);
  };
  let at = 0;
  while (at < text.length) {
    const found = special(text, at, { options, depth, inLink, open });
    if (!found) {
      plain += text[at];
      at += 1;
    } else {
      if (typeof found.node === 'string') plain += found.node;
      else put(found.node);
      at = found.end;
    }
  }
  flush();
  return out;
}

/** What begins at `at` and is more than one letter: `{node, end}`, or null. */
function special(text, at, context) {
  const letter = text[at];
  if (letter === '\\') {
    if (text[at + 1] === '\n') return { node: make('br'), end: at + 2 };
    return PUNCTUATION.test(text[at + 1] ?? '') ? { node: text[at + 1], end: at + 2 } : null;
  }
  if (letter === '\n') return { node: make('br'), end: at + 1 };
  if (letter === '`') return codeSpan(text, at, context.open);
  if (letter === '!' && text[at + 1] === '[') return link(text, at + 1, context, true);
  if (letter === '[' && !context.inLink) return link(text, at, context, false);
  if (letter === '*' || letter === '_' || letter === '~') return emphasis(text, at, letter, context);
  if (letter === 'h' && !context.inLink) return bareAddress(text, at);
  return null;
}

function codeSpan(text, at, open) {
  const mark = /`+/y;
  mark.lastIndex = at;
  const ticks = mark.exec(text)[0];
  if (open.has(ticks)) return { node: ticks, end: at + ticks.length };
  const closer = new RegExp(`(?<!\`)${ticks}(?!\`)`, 'g');
  closer.lastIndex = at + ticks.length;
  const close = closer.exec(text);
  if (!close) {
    open.add(ticks);
    return { node: ticks, end: at + ticks.length };
  }
  const inside = text.slice(at + ticks.length, close.index).replaceAll('\n', ' ');
  const trimmed = /^ .*[^ ].* $/.test(inside) ? inside.slice(1, -1) : inside;
  return { node: make('code', trimmed), end: close.index + ticks.length };
}

const NAMES = { '*': 'em', _: 'em', '**': 'strong', __: 'strong', '~~': 's' };

function emphasis(text, at, letter, { options, depth, inLink, open }) {
  const mark = text[at + 1] === letter ? letter + letter : letter;
  const name = NAMES[mark];
  const begins = at + mark.length;
  const literal = { node: mark, end: begins };
  const wordBefore = /[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
  if (!name || depth >= DEPTH_MAX || open.has(mark) || /\s/.test(text[begins] ?? ' ')) return literal;
  if (letter === '_' && wordBefore) return literal;
  let close = begins;
  for (;;) {
    close = text.indexOf(mark, close + 1);
    if (close < 0) {
      open.add(mark);
      return literal;
    }
    const wordAfter = letter === '_' && /[\p{L}\p{N}]/u.test(text[close + mark.length] ?? '');
    const longer = mark.length === 1 && (text[close + 1] === letter || text[close - 1] === letter);
    if (/\s/.test(text[close - 1]) || wordAfter || text[close - 1] === '\\') continue;
    if (!longer) break;
    while (text[close + 1] === letter) close += 1;
  }
  const inside = inline(text.slice(begins, close), options, depth + 1, inLink);
  return { node: make(name, inside), end: close + mark.length };
}

function link(text, at, { options, depth }, picture) {
  let nested = 0;
  let end = at;
  for (; end < text.length && end - at <= LABEL_CHARS_MAX; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text[end] === '[') nested += 1;
    else if (text[end] === ']' && (nested -= 1) === 0) break;
  }
  if (text[end] !== ']' || text[end + 1] !== '(') return null;
  const target = /\(\s*(?:<([^<>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/y;
  target.lastIndex = end + 1;
  const found = target.exec(text.slice(0, end + ADDRESS_CHARS_MAX));
  if (!found) return null;
  const label = text.slice(at + 1, end);
  const address = found[1] ?? found[2];
  const after = target.lastIndex;
  if (picture) return { node: image(label, address, options), end: after };
  const words = depth < DEPTH_MAX ? inline(label, options, depth + 1, true) : label;
  return { node: anchor(words, label, address), end: after };
}

function bareAddress(text, at) {
  BARE_ADDRESS.lastIndex = at;
  const found = BARE_ADDRESS.exec(text.slice(0, at + ADDRESS_CHARS_MAX));
  if (!found) return null;
  let address = found[0].replace(/[.,;:!?*_~]+$/, '');
  while (/[)\]]$/.test(address) && !/[([]/.test(address.slice(8))) address = address.slice(0, -1);
  return { node: anchor(address, address, address), end: at + address.length };
}

/** An address the person may follow, or null. */
export function safeAddress(address) {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** A link that says where it leads: words that are not the address are followed by the address. */
export function anchor(words, label, address) {
  const url = safeAddress(address);
  const around = document.createDocumentFragment();
  if (!url) {
    around.append(words, ` (${address})`);
    return around;
  }
  const node = make('a', words);
  node.href = url.href;
  node.target = '_blank';
  node.rel = 'noopener noreferrer';
  node.title = url.href;
  around.append(node);
  const same = [url.href, url.href.replace(/\/$/, '')].includes(label.trim());
  if (!same) {
    const shown = url.href.replace(/^https?:\/\//, '').replace(/\/$/, '');
    const cut = shown.length > SHOWN_ADDRESS_CHARS_MAX ? `${shown.slice(0, SHOWN_ADDRESS_CHARS_MAX)}…` : shown;
    const where = make('span', ` (${cut})`);
    where.className = 'address';
    around.append(where);
  }
  return around;
}

function image(label, address, { fileAddress }) {
  if (fileAddress && address.startsWith(FILES) && !address.includes('..')) {
    const node = make('img');
    node.alt = label || 'Picture';
    node.src = fileAddress(address.slice(FILES.length));
    return node;
  }
  return anchor(label || 'Picture', label, address);
}
