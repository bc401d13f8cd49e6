// Texts from outside never become markup, code or requests, wherever the engine passes them on. Each is tried twice:
// as the engine serves the page, and without its content policy, so that the page alone must hold.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { PAYLOADS } from './payloads.mjs';

const AT_ONCE = 10;
let browser;

before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const watch = () => {
  globalThis.hits = [];
  globalThis.hit = (which) => globalThis.hits.push(which);
  globalThis.alert = globalThis.hit;
};

/** What should not be in a conversation, whatever was said in it. */
const strangers = () => {
  const found = [...globalThis.hits].map((which) => `ran ${which}`);
  const unwanted = 'script,iframe,object,embed,link,style,base,meta,svg:not(.icon),math:not(.formula *),video,audio,form,input,textarea,select,template';
  // A sheet has the height it is guessed to have, and a formula its own measures; both are numbers.
  const isMeasure = (node, value) => (node.matches('.sheet, .book') ? /^contain-intrinsic-size: auto [\d.]+px;$/ : /^[a-z0-9 .:;%#(),+-]*$/i).test(value) && !/url|position|expression/i.test(value);
  for (const node of document.querySelectorAll('#log *, #chats *, #title *, #link *, dialog *, #toasts *')) {
    if (node.matches(unwanted)) found.push(node.outerHTML);
    for (const { name, value } of node.attributes) {
      if (name.startsWith('on') || name === 'srcdoc') found.push(`${name}=${value}`);
      if (name === 'style' && !(node.matches('.sheet, .book, .formula *') && isMeasure(node, value))) found.push(`style=${value}`);
      if (name === 'id' && node.closest('.item')) found.push(`id=${value}`);
      if (node.matches('.formula *') && ['href', 'src', 'action', 'xlink:href', 'altimg'].includes(name)) found.push(`${name}=${value}`);
      if (name === 'href' && !/^(https?:|mailto:|\/api\/files\/content\/|#\/)/.test(value)) found.push(`href=${value}`);
      if (name === 'src' && !/^(data:image\/|\/api\/files\/content\/)/.test(value)) found.push(`src=${value}`);
      if (name === 'src' && value.includes('..')) found.push(`src=${value}`);
    }
    if (node.matches('a[target]') && !/noopener/.test(node.rel)) found.push(`rel=${node.rel}`);
  }
  return found;
};

// The mock says the text wherever a text can come from. The program's echo calls a tool with it, so that it comes back in
// the reply, in the question, in the call and in its result.
const asked = (site, text) => {
  if (site.engine) return `Hostile ${JSON.stringify(text)}`;
  return `${text}\ncall file_write ${JSON.stringify({ name: text.slice(0, 80), content: text })}`;
};

async function attack(options, texts) {
  const site = await startEngine({ model: process.env.SENTIENT_BINARY ? 'scripted/echo' : undefined });
  let tab;
  try {
    if (site.engine) site.engine.assistant = texts[0];
    const context = { path: '/', ...options };
    tab = await Tab.open(browser, site, context);
    await tab.page.addInitScript(watch);
    await tab.page.goto(`${site.origin}/?token=${site.token}`);
    await tab.ready();
    for (const [index, text] of texts.entries()) {
      await tab.say(asked(site, text));
      await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
      assert.deepEqual(await tab.page.evaluate(strangers), [], `in the question: ${text}`);
      await tab.page.locator('.approval[data-state="open"] button').first().click();
      await tab.replied(index + 1);
      assert.deepEqual(await tab.page.evaluate(strangers), [], `after ${text}`);
    }
    await tab.unfold();
    await tab.page.reload(); // the stored rows take another way
    await tab.ready();
    await tab.replied(texts.length);
    assert.deepEqual(await tab.page.evaluate(strangers), [], 'after a reload');
    await tab.close();
  } finally {
    await tab?.context.close();
    await site.stop();
  }
}

for (const [name, options] of [['as served', {}], ['without the content policy', { bypassCSP: true }]]) {
  for (let at = 0; at < PAYLOADS.length; at += AT_ONCE) {
    test(`hostile texts ${at} to ${Math.min(at + AT_ONCE, PAYLOADS.length) - 1} stay text, ${name}`, () =>
      attack(options, PAYLOADS.slice(at, at + AT_ONCE)));
  }
}

test('the watch itself notices', async () => {
  const site = await startEngine();
  const tab = await Tab.open(browser, site, { bypassCSP: true });
  try {
    await tab.page.addInitScript(watch);
    await tab.page.reload();
    await tab.ready();
    await tab.page.evaluate(() => {
      const holder = document.createElement('div');
      holder.innerHTML = '<img src=x onerror=hit(1)>'; // what the page must never do
      document.getElementById('log').append(holder);
    });
    await tab.page.waitForFunction(() => globalThis.hits.length > 0);
    const found = await tab.page.evaluate(strangers);
    assert.ok(found.some((what) => what === 'ran 1') && found.some((what) => what.startsWith('onerror=')), found.join());
    await tab.page.evaluate(() => fetch('https://outside.invalid/').catch(() => {}));
    assert.throws(() => tab.assertAtHome(), /left this computer/);
  } finally {
    await tab.context.close();
    await site.stop();
  }
});
