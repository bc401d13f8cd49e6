// Finds words in what is on the screen, and marks them for a moment. Nothing of the page is changed: the browser paints the
// mark over the text (CSS Custom Highlight API); where it cannot, the message itself is marked.

const MARK = 'quote';
const MARKED_MS = 6_000;

/**
 * Where the words are, however the text is cut into elements and whatever stands for a space in it.
 * @param {Node} root
 * @param {string} quote
 * @returns {Range | null}
 */
export function wordsIn(root, quote) {
  const wanted = bare(quote);
  if (!wanted) return null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** Each letter that counts, and where it is. @type {{ node: Text, at: number }[]} */
  const places = [];
  let text = '';
  for (let node = /** @type {Text | null} */ (walker.nextNode()); node; node = /** @type {Text | null} */ (walker.nextNode())) {
    for (let at = 0; at < node.data.length; at += 1) {
      if (!bare(node.data[at])) continue;
      text += bare(node.data[at]);
      places.push({ node, at });
    }
  }
  const from = text.indexOf(wanted);
  if (from < 0) return null;
  const [first, last] = [places[from], places[from + wanted.length - 1]];
  const range = document.createRange();
  range.setStart(first.node, first.at);
  range.setEnd(last.node, last.at + 1);
  return range;
}

/** Letters and figures only: a stored sentence has the marks of Markdown in it, and the drawn one has not. One letter stays one. @param {string} text */
const bare = (text) => text.replace(/[^\p{L}\p{N}]/gu, '');

/** @param {Range} range */
export function markWords(range) {
  if (typeof Highlight === 'undefined') return;
  CSS.highlights.set(MARK, new Highlight(range));
  setTimeout(() => CSS.highlights.delete(MARK), MARKED_MS);
}
