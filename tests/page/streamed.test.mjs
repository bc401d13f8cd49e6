// A text that streams in comes out as if it had been read at once, wherever it is cut; and what is drawn for a new piece
// depends on the open block, never on how much stands before it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { manyTokens } from './scenes-chat.mjs';

const SEEDS = [1, 7, 42, 20_261_130];
const TEXTS_PER_SEED = 500;
let browser;
let site;
let tab;

before(async () => {
  browser = await startBrowser();
  site = await startEngine();
  tab = await Tab.open(browser, site);
});
after(async () => {
  await tab?.close();
  await browser?.close();
  await site?.stop();
});

/** Pieces that begin, go on and end every kind of block; texts are put together from them by chance, from a seed. */
const PIECES = ['a', 'b word', '\n', '\n\n', '- x', '\n- y', '\n\n- z', '\n  - n', '1. one', '\n2. two', '\n\n3. three', '```js\n', 'let a = 1;', '\n```\n', '\n~~~\n',
  '| a | b |\n|---|:-:|\n', '| 1 | 2 |\n', '| 3', '**bold**', '*', '_it_', '`c', '`', '> q', '\n> r', '# h', '\n---\n', '\n- - ', '-', '    code', '[l](https://e.x/a)', '[r]',
  '\n[r]: https://r.x/y\n\n', '$x^2$', '$$\na\n$$\n', '\n$$\n', '\\(b\\)', '\n  para', '\n\n  para', '\n* star', '\n+ plus', '\n1) p', '\t', '~~s~~', 'https://a.b/c',
  '![i](https://p.x/i.png)', '- [ ] t', '\n- [x] d', '\n   - deep', '\n- ```\n  c\n  ```', '\r\n', '&amp;', '\\'];

const compare = ({ pieces, seed, count }) => tab.page.evaluate(async ([list, start, many]) => {
  const { StreamedProse } = await import('/chat/streamed.js');
  const { prose } = await import('/chat/prose.js');
  let state = start;
  const chance = (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const shape = (node) => {
    const copy = node.cloneNode(true);
    for (const formula of copy.querySelectorAll('.formula')) formula.replaceChildren(); // typeset later
    for (const figure of copy.querySelectorAll('figure.code')) {
      figure.removeAttribute('data-coloured');
      const code = figure.querySelector('code');
      code.textContent = code.textContent; // eslint-disable-line no-self-assign -- without its colours
    }
    copy.normalize();
    return copy.innerHTML;
  };
  const whole = (text) => {
    const holder = document.createElement('div');
    holder.append(prose(text.replace(/\r\n?/g, '\n')));
    return shape(holder);
  };
  for (let run = 0; run < many; run += 1) {
    const text = Array.from({ length: 2 + chance(14) }, () => list[chance(list.length)]).join('');
    const holder = document.createElement('div');
    const streamed = new StreamedProse(holder, {});
    const cuts = [];
    for (let at = 0; at < text.length;) {
      at = Math.min(text.length, at + 1 + chance(6));
      cuts.push(at);
      streamed.update(text.slice(0, at));
    }
    streamed.update(text, true);
    const [got, want] = [shape(holder), whole(text)];
    if (got !== want) return { text, cuts, got, want };
    streamed.update(text, true);
    if (shape(holder) !== want) return { text, cuts, got: shape(holder), want: 'the same when told twice' };
  }
  return null;
}, [pieces, seed, count]);

for (const seed of SEEDS) {
  test(`streamed is the same as read at once (seed ${seed})`, async () => {
    assert.equal(await compare({ pieces: PIECES, seed, count: TEXTS_PER_SEED }), null);
  });
}

test('what streamed in and was then replaced is replaced', async () => {
  const got = await tab.page.evaluate(async () => {
    const { StreamedProse } = await import('/chat/streamed.js');
    const holder = document.createElement('div');
    const streamed = new StreamedProse(holder, {});
    for (const text of ['one\n\ntw', 'one\n\ntwo', 'three']) streamed.update(text);
    return holder.innerHTML;
  });
  assert.equal(got, '<p>three</p>');
});

test('a selection in what was said survives what comes next', async () => {
  const got = await tab.page.evaluate(async () => {
    const { StreamedProse } = await import('/chat/streamed.js');
    const holder = document.createElement('div');
    document.body.append(holder);
    const streamed = new StreamedProse(holder, {});
    streamed.update('The first words of it');
    getSelection().setBaseAndExtent(holder.firstChild.firstChild, 4, holder.firstChild.firstChild, 9);
    streamed.update('The first words of it, and **more**\n\n- a list');
    const selected = String(getSelection());
    holder.remove();
    return selected;
  });
  assert.equal(got, 'first');
});

/** How many nodes are made or taken away while `count` pieces stream in, and how much text is read again. */
const workOf = (pieces) => tab.page.evaluate(async (list) => {
  const { StreamedProse } = await import('/chat/streamed.js');
  const holder = document.createElement('div');
  const streamed = new StreamedProse(holder, {});
  let [changes, most, text] = [0, 0, ''];
  const watch = new MutationObserver(() => {});
  watch.observe(holder, { childList: true, subtree: true, characterData: true });
  for (const piece of list) {
    text += piece;
    streamed.update(text);
    const nodes = watch.takeRecords().reduce((sum, { addedNodes, removedNodes, type }) => sum + addedNodes.length + removedNodes.length + (type === 'characterData'), 0);
    changes += nodes;
    most = Math.max(most, nodes);
  }
  streamed.update(text, true);
  return { changes, most, nodes: holder.querySelectorAll('*').length, open: text.length - streamed.settled };
}, pieces);

test('the work for a piece does not grow with the reply', async () => {
  for (const [name, piecesOf] of [
    ['mixed blocks', manyTokens],
    ['one long list', (count) => Array.from({ length: count }, (_, at) => (at % 6 ? 'word ' : '\n- an **item** '))],
    ['one long table', (count) => ['| a | b |\n|---|---|\n', ...Array.from({ length: count }, (_, at) => (at % 2 ? 'one | ' : 'two |\n| '))]],
    ['one long block of code', (count) => ['```js\n', ...Array.from({ length: count }, (_, at) => (at % 9 ? 'let a; ' : '\n'))]],
  ]) {
    const [short, long] = [await workOf(piecesOf(500)), await workOf(piecesOf(4000))];
    assert.ok(long.most <= short.most + 2, `${name}: ${long.most} changes for one piece of a long text, ${short.most} of a short one`);
    assert.ok(long.changes <= short.changes * 10, `${name}: ${long.changes} changes in all against ${short.changes}`);
    assert.ok(long.nodes > short.nodes || name.includes('code'), name);
    assert.ok(long.open < 600 || name.includes('code'), `${name}: the last ${long.open} letters are open`);
  }
});
