// Markdown cases, read and built in a real browser: source on the left, structure on the right. CommonMark itself is the
// library's affair; here is what the window makes of it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';

const TIME_MAX_MS = 1_000;
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

/** The structure without attributes that only help reading aloud. */
const render = (sources) => tab.page.evaluate(async (list) => {
  const { prose } = await import('/chat/prose.js');
  return list.map((source) => {
    const holder = document.createElement('div');
    const began = performance.now();
    holder.append(prose(source, { fileAddress: (name) => `/api/files/content/${name}?token=t` }));
    const took = performance.now() - began;
    for (const figure of holder.querySelectorAll('figure.code')) {
      const { language } = figure.dataset;
      figure.replaceWith(figure.querySelector('pre'));
      if (language) holder.querySelector('pre:not([lang])').lang = language;
    }
    for (const node of holder.querySelectorAll('.formula')) node.replaceWith(`${node.matches('.wide-formula') ? '$$' : '$'}${node.dataset.source}$`);
    for (const node of holder.querySelectorAll('*')) {
      for (const name of ['tabindex', 'role', 'aria-label', 'target', 'rel', 'title', 'scope', 'loading', 'lang']) node.removeAttribute(name);
    }
    return { html: holder.innerHTML, text: holder.textContent, took };
  });
}, sources);

const CASES = [
  ['plain', 'hello', '<p>hello</p>'],
  ['two paragraphs', 'a\n\nb', '<p>a</p><p>b</p>'],
  ['a line break', 'a\nb', '<p>a<br>b</p>'],
  ['emphasis', '**a** *b* _c_ ~~d~~', '<p><strong>a</strong> <em>b</em> <em>c</em> <s>d</s></p>'],
  ['emphasis inside', '**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
  ['emphasis around code', '***`a`***', '<p><em><strong><code>a</code></strong></em></p>'],
  ['names with underscores', 'my_own_name and 2 * 3 * 4', '<p>my_own_name and 2 * 3 * 4</p>'],
  ['an unclosed mark', '**a and *b', '<p>**a and *b</p>'],
  ['escapes', '\\*a\\* \\[b](c)', '<p>*a* [b](c)</p>'],
  ['letters by number', '&amp; &#65; &copy;', '<p>&amp; A ©</p>'],
  ['a code span', 'a `b *c* <d>` e', '<p>a <code>b *c* &lt;d&gt;</code> e</p>'],
  ['a code span with ticks', '`` a`b ``', '<p><code>a`b</code></p>'],
  ['a heading', '# A\n### B #', '<h3>A</h3><h5>B</h5>'],
  ['a heading with a line', 'A\n===', '<h3>A</h3>'],
  ['a rule', 'a\n\n---\nb', '<p>a</p><hr><p>b</p>'],
  ['a fence', '```js\n<b>\n\n# x\n```\nafter', '<pre><code>&lt;b&gt;\n\n# x</code></pre><p>after</p>'],
  ['a fence still open', '```\nlet a', '<pre><code>let a</code></pre>'],
  ['indented code', '    let a', '<pre><code>let a</code></pre>'],
  ['a list', '- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
  ['a numbered list', '3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  ['a list in a list', '- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
  ['a loose list', '1. a\n\n2. b', '<ol><li><p>a</p></li><li><p>b</p></li></ol>'],
  ['code in a list', '- a\n\n  ```\n  x\n  ```', '<ul><li><p>a</p><pre><code>x</code></pre></li></ul>'],
  ['a list right after text', 'a:\n- b', '<p>a:</p><ul><li>b</li></ul>'],
  ['boxes', '- [x] a\n- [ ] b', '<ul><li class="is-task"><span class="task">☑ </span>a</li><li class="is-task"><span class="task">☐ </span>b</li></ul>'],
  ['a quote', '> a\n> b', '<blockquote><p>a<br>b</p></blockquote>'],
  ['a table', '| a | b |\n|:--|--:|\n| 1 | x \\| y |',
    '<div class="wide"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody><tr><td>1</td><td class="right">x | y</td></tr></tbody></table></div>'],
  ['no table', 'a | b', '<p>a | b</p>'],
  ['a link says where it leads', '[a](https://b.example/c)',
    '<p><a href="https://b.example/c">a</a><span class="address"> (b.example/c)</span></p>'],
  ['a link defined elsewhere', '[a][r]\n\n[r]: https://b.example/c',
    '<p><a href="https://b.example/c">a</a><span class="address"> (b.example/c)</span></p>'],
  ['a bare address', 'see https://b.example/c_d_e.',
    '<p>see <a href="https://b.example/c_d_e">https://b.example/c_d_e</a>.</p>'],
  ['an address in brackets', '(https://b.example/a)', '<p>(<a href="https://b.example/a">https://b.example/a</a>)</p>'],
  ['a false label', '[https://bank.example](https://evil.example/)',
    '<p><a href="https://evil.example/">https://bank.example</a><span class="address"> (evil.example)</span></p>'],
  ['letters that look alike', '[b](https://\u0430pple.example)',
    '<p><a href="https://xn--pple-43d.example/">b</a><span class="address"> (xn--pple-43d.example)</span></p>'],
  ['a script address', '[a](javascript:b)', '<p>a (javascript:b)</p>'],
  ['a mail address', '<me@b.example>', '<p><a href="mailto:me@b.example">me@b.example</a></p>'],
  ['a picture of the engine', '![a b](/api/files/content/charts/c.png)',
    '<p><img alt="a b" src="/api/files/content/charts/c.png?token=t"></p>'],
  ['a picture from outside', '![a](https://b.example/c.png)',
    '<p><span class="outside-picture"><span>Picture from outside, not loaded: a</span> <a href="https://b.example/c.png">Open it</a><span class="address"> (b.example/c.png)</span></span></p>'],
  ['a picture as data', '![a](data:image/png;base64,AAAA)', '<p>a (data:image/png;base64,AAAA)</p>'],
  ['markup is text', '<b>a</b>', '<p>&lt;b&gt;a&lt;/b&gt;</p>'],
  ['a formula in a sentence', 'so $x^2$ and \\(y\\)', '<p>so $x^2$ and $y$</p>'],
  ['a formula on lines of its own', '$$\na\n- b\n$$', '$$a\n- b$'],
  ['a formula in brackets', '\\[ a \\]', '$$a$'],
  ['a formula after words', 'it is\n$$\na\n$$', '<p>it is<br>$$a$</p>'],
  ['prices', 'from $5 to $10, or $7', '<p>from $5 to $10, or $7</p>'],
  ['a formula in code', '`$x$`', '<p><code>$x$</code></p>'],
];

test('Markdown becomes structure', async () => {
  const got = await render(CASES.map(([, source]) => source));
  for (const [index, [name, source, want]] of CASES.entries()) {
    assert.equal(got[index].html, want, `${name}: ${JSON.stringify(source)}`);
  }
});

test('no text, however odd, takes long or loses its words', async () => {
  const many = (text, count) => text.repeat(count);
  const odd = [
    ['stars', many('*', 5000)], ['open emphasis', many('*a ', 5000)], ['open strong', many('**a ', 5000)],
    ['underscores', many('_a', 5000)], ['ticks', many('`', 5000)], ['rising ticks', Array.from({ length: 100 }, (_, n) => `${many('`', n)}a`).join('')],
    ['open links', many('[', 5000)], ['half links', many('[a](', 3000)], ['nested links', many('[a', 2000) + many('](b)', 2000)],
    ['quotes', `${many('> ', 3000)}a`], ['nested lists', Array.from({ length: 300 }, (_, n) => `${many(' ', n * 2)}- a`).join('\n')],
    ['pipes', many('|', 5000)], ['a table of rules', many('|-', 3000)], ['backslashes', many('\\', 5000)],
    ['addresses', many('https://', 2000)], ['brackets after an address', `https://a.b/${many(')', 2000)}`],
    ['dashes', many('- ', 3000)], ['hashes', many('#', 5000)], ['long rule', `${many('- ', 3000)}x`], ['empty lines', many('\n', 20000)],
    ['dollars', many('$a ', 5000)], ['open formulas', many('\\( ', 5000)], ['formula lines', many('$$\n', 5000)],
    ['a long reply', many('Some **words** with `code` and [a](https://b.example).\n\n', 800)],
  ];
  const got = await render(odd.map(([, source]) => source));
  const letters = (text) => text.split('a').length;
  for (const [index, [name, source]] of odd.entries()) {
    assert.ok(letters(got[index].text) >= letters(source), `${name} lost something`);
    assert.ok(got[index].took < TIME_MAX_MS, `${name} took ${Math.round(got[index].took)} ms`);
  }
});
