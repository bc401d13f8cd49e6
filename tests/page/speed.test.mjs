// What keeps the chat quick, as counts that do not depend on how busy the computer is: how much of a long chat is built,
// how much is touched by a piece of a reply. The times themselves are measured by bench-chat.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longChat } from './bench-chat.mjs';
import { engine, site, talk } from './stand.mjs';

const MESSAGES = 5_000;
/** As `web/chat/view.js` has it. */
const SHEET_ITEMS = 8;
const skip = process.env.SENTIENT_BINARY ? 'the counts are the page\'s own; the mock run covers them' : false;
let tab;

async function open() {
  tab = await talk();
}

const newest = () => tab.page.getByText(`Answer ${MESSAGES - 1}.`);

async function openLongChat() {
  await engine();
  longChat(site.engine, MESSAGES);
  tab = await talk();
  await tab.page.locator('#chat-list button[data-id]').first().click();
  await newest().waitFor();
  await tab.page.waitForFunction((count) => document.querySelectorAll('.book > .sheet').length === count, MESSAGES / SHEET_ITEMS);
}

test('a chat of 5,000 messages builds what is seen, and the rest when it comes near', { skip }, async () => {
  await openLongChat();
  await tab.page.waitForTimeout(1500); // also what is built in idle time has an end
  const built = await tab.page.locator('article.item').count();
  assert.ok(built >= 40 && built <= 1100, `${built} messages were built`);
  assert.equal(await tab.page.evaluate(() => getComputedStyle(document.querySelector('.book')).contentVisibility), 'auto');
  assert.ok((await tab.page.locator('.book').count()) <= 70, 'what the browser watches is not much');
  const tall = await tab.page.locator('#log').evaluate((log) => log.scrollHeight);
  assert.ok(tall > MESSAGES * 40, `the scrollbar knows of all of it: ${tall} px`);
  await tab.page.locator('#log').evaluate((log) => (log.scrollTop = 0));
  await tab.page.getByText('Question 0: what').waitFor();
  assert.ok(await tab.page.locator('article.item').count() < built + 400, 'jumping to the top builds the top');
  await tab.page.getByRole('button', { name: 'To the newest message' }).click();
  await tab.page.waitForFunction(() => {
    const log = document.getElementById('log');
    return log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  });
  await newest().waitFor();
});

test('what is read stays in its place while older messages arrive', { skip }, async () => {
  await engine();
  longChat(site.engine, MESSAGES);
  tab = await talk();
  await tab.page.route('**/messages?limit=5000', async (route) => {
    await new Promise((done) => { globalThis.letThrough = done; });
    await route.continue();
  });
  await tab.page.locator('#chat-list button[data-id]').first().click();
  await newest().waitFor();
  const log = tab.page.locator('#log');
  await log.hover();
  await tab.page.mouse.wheel(0, -3000);
  await tab.page.waitForTimeout(300);
  const seen = () => log.evaluate((box) => {
    const top = box.getBoundingClientRect().top;
    const first = [...box.querySelectorAll('article.item')].find((item) => item.getBoundingClientRect().bottom > top + 40);
    return [first.innerText.slice(0, 20), Math.round(first.getBoundingClientRect().top - top)];
  });
  const before = await seen();
  globalThis.letThrough();
  await tab.page.waitForFunction((count) => document.querySelectorAll('.book > .sheet').length === count, MESSAGES / SHEET_ITEMS);
  await tab.page.waitForTimeout(300);
  const now = await seen();
  assert.equal(now[0], before[0]);
  assert.ok(Math.abs(now[1] - before[1]) <= 3, `${before[1]} px and then ${now[1]} px from the top`);
});

test('a reply at the end of a long chat touches nothing before it', { skip }, async () => {
  await openLongChat();
  await tab.page.waitForTimeout(1500);
  await tab.page.evaluate(() => {
    globalThis.touched = new Set();
    globalThis.drawn = 0;
    new MutationObserver((records) => {
      globalThis.drawn += 1;
      for (const { target } of records) globalThis.touched.add(target.parentElement?.closest('article.item')?.getAttribute('aria-label') ?? target.className ?? '');
    }).observe(document.querySelector('.stream'), { childList: true, characterData: true, subtree: true });
  });
  await tab.say('Stream 2000 tokens');
  await tab.page.waitForFunction(() => [...document.querySelectorAll('article.reply')].at(-1)?.innerText.length > 5000);
  await tab.replied();
  const [touched, drawn] = await tab.page.evaluate(() => [[...globalThis.touched], globalThis.drawn]);
  assert.ok(drawn < 1000, `2,000 pieces were drawn in ${drawn} goes`);
  assert.deepEqual(touched.filter((name) => name && !['Sentient', 'book last', 'sheet last', 'sheet', 'item reply', 'item user', 'You'].includes(name)), []);
});

test('pieces that come between two frames are drawn once', { skip }, async () => {
  await open();
  const got = await tab.page.evaluate(async () => {
    const { ChatView } = await import('/chat/view.js');
    const { Conversations } = await import('/chat/conversation.js');
    const log = document.createElement('div');
    document.body.append(log);
    const chats = new Conversations();
    const view = new ChatView(log, () => 'Sentient', { fileAddress: (name) => name });
    const hear = (frame) => {
      const change = chats.hear({ session_id: 's', turn_id: 't', ...frame });
      if (change?.item) view.touch(change.item, change.block);
    };
    view.show(chats.chat('s'));
    hear({ type: 'text_delta', text: 'The ' });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    let goes = 0;
    new MutationObserver((records) => (goes += records.length)).observe(log, { childList: true, characterData: true, subtree: true });
    for (let piece = 0; piece < 500; piece += 1) hear({ type: 'text_delta', text: 'word ' });
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const length = log.querySelector('.prose').innerText.length;
    log.remove();
    return { goes, length };
  });
  assert.ok(got.length > 2000, 'all of it is shown');
  assert.ok(got.goes <= 3, `${got.goes} changes for 500 pieces`);
});

test('hearing a piece costs the same in a short chat and in a long one', { skip }, async () => {
  await open();
  const reads = await tab.page.evaluate(async () => {
    const { Conversations } = await import('/chat/conversation.js');
    const count = (length) => {
      const chats = new Conversations();
      const chat = chats.chat('s');
      chats.load(chat, Array.from({ length }, (_, at) => ({ id: `m${at}`, role: at % 2 ? 'assistant' : 'user', content: 'words' })));
      chats.hear({ type: 'session', session_id: 's', client_id: 'c' });
      chats.hear({ type: 'text_delta', session_id: 's', turn_id: 't', text: 'a' });
      let looked = 0;
      chat.items = new Proxy(chat.items, { get: (items, key) => { looked += 1; return Reflect.get(items, key); } });
      for (let piece = 0; piece < 100; piece += 1) chats.hear({ type: 'text_delta', session_id: 's', turn_id: 't', text: 'a' });
      return looked;
    };
    return [count(10), count(5000)];
  });
  assert.equal(reads[1], reads[0]);
  assert.ok(reads[1] <= 100, `the messages were looked at ${reads[1]} times for 100 pieces`);
});

test('the first paint waits for no library', { skip }, async () => {
  await open();
  const asked = await tab.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
  assert.ok(!asked.some((path) => /temml|highlight\//.test(path)), 'formulas and colours are fetched when they are needed');
});
