// Reads Markdown into the tokens of markdown-it: CommonMark, tables, struck words, bare addresses, and the two ways in
// which models write formulas. Markup of the source stays text. It builds nothing; `prose.js` does.

import MarkdownIt from '../vendor/markdown-it/markdown-it.js';

const DEPTH_MAX = 24;
/** What the library itself allows; it leaves out what is deeper, so the rule below comes first. */
const NESTING_MAX = 100;
const FORMULA_CHARS_MAX = 4000;

/**
 * @typedef {object} Token
 * @property {string} type
 * @property {string} tag
 * @property {-1 | 0 | 1} nesting
 * @property {number} level
 * @property {[number, number] | null} map
 * @property {string} markup
 * @property {string} info
 * @property {string} content
 * @property {boolean} hidden
 * @property {Token[] | null} children
 * @property {(name: string) => string | null} attrGet
 */

/** @type {any} */
const reader = new (/** @type {any} */ (MarkdownIt))('default', { html: false, linkify: true, breaks: true, maxNesting: NESTING_MAX });
reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// Every address becomes a token, and `links.js` alone judges it, so that a refused one can be shown.
reader.validateLink = () => true;

/** Quotes in lists in quotes: from some depth on, all of it is words. */
reader.block.ruler.before('table', 'too_deep', (state, startLine, endLine, silent) => {
  if (state.level < DEPTH_MAX) return false;
  if (silent) return true;
  const token = state.push('too_deep', '', 0);
  token.block = true;
  token.content = state.getLines(startLine, endLine, 0, false).trim();
  token.map = [startLine, endLine];
  state.line = endLine;
  return true;
}, { alt: ['paragraph', 'blockquote', 'list', 'reference'] });

/**
 * `\(x\)`, `$x$`, `\[x\]` and `$$x$$` inside a text. A dollar opens only before something and closes only after
 * something and not before a digit, so that prices stay prices.
 */
reader.inline.ruler.before('escape', 'formula', (state, silent) => {
  const found = formulaAt(state.src, state.pos, state.posMax);
  if (!found) return false;
  if (!silent) {
    const token = state.push('formula', '', 0);
    token.content = found.content;
    token.markup = found.wide ? '$$' : '$';
  }
  state.pos = found.end;
  return true;
});

/** @type {[string, string, boolean][]} */
const PAIRS = [['\\(', '\\)', false], ['\\[', '\\]', true], ['$$', '$$', true], ['$', '$', false]];

/**
 * @param {string} text
 * @param {number} at
 * @param {number} end
 */
function formulaAt(text, at, end) {
  const first = text[at];
  if (first !== '\\' && first !== '$') return null;
  const pair = PAIRS.find(([open]) => text.startsWith(open, at));
  if (!pair) return null;
  const [open, close, wide] = pair;
  const begins = at + open.length;
  const closes = text.slice(begins, Math.min(end, begins + FORMULA_CHARS_MAX)).indexOf(close);
  if (closes <= 0) return null;
  const content = text.slice(begins, begins + closes);
  if (content.trim() === '') return null;
  if (open === '$' && (/^\s|\s$|\n\s*\n/.test(content) || /[\p{L}\p{N}]/u.test(text[begins + closes + 1] ?? ''))) return null;
  return { content: content.trim(), wide, end: begins + closes + close.length };
}

/**
 * A formula on lines of its own: `$$ x $$` on one, or `$$` and `$$` (`\[` and `\]`) around some without an empty one
 * between. One whose end has not come yet is a formula already, as with a fence. It never interrupts a paragraph, where
 * the rule above finds it.
 */
reader.block.ruler.before('fence', 'formula_block', (state, startLine, endLine, silent) => {
  if (silent || state.sCount[startLine] - state.blkIndent >= 4) return false;
  const lineAt = (line) => state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]).trim();
  const first = lineAt(startLine);
  const open = first.slice(0, 2);
  const close = { $$: '$$', '\\[': '\\]' }[open];
  if (!close) return false;
  const lines = [];
  let last = startLine;
  if (first === open) {
    for (last += 1; last < endLine && lineAt(last) !== close; last += 1) {
      const text = lineAt(last);
      if (text === '' || state.sCount[last] < state.blkIndent || text.includes(close)) return false;
      lines.push(text);
    }
  } else if (first.length > 4 && first.endsWith(close) && first.indexOf(close, 2) === first.length - 2) {
    lines.push(first.slice(2, -2));
  } else {
    return false;
  }
  const content = lines.join('\n').trim();
  if (content.length > FORMULA_CHARS_MAX) return false;
  state.line = Math.min(last + 1, endLine);
  const token = state.push('formula_block', '', 0);
  token.block = true;
  token.content = content;
  token.map = [startLine, state.line];
  return true;
});

/**
 * The tokens of `source`. `env` keeps the definitions of links over several parts of one text.
 * @param {string} source
 * @param {object} env
 * @returns {Token[]}
 */
export const read = (source, env = {}) => reader.parse(source, env);

/**
 * The outermost blocks, each with all of its tokens.
 * @param {Token[]} tokens
 * @returns {Token[][]}
 */
export function outermost(tokens) {
  const blocks = [];
  for (let at = 0; at < tokens.length;) {
    let end = at + 1;
    if (tokens[at].nesting === 1) {
      while (tokens[end].level > tokens[at].level) end += 1;
      end += 1;
    }
    blocks.push(tokens.slice(at, end));
    at = end;
  }
  return blocks;
}
