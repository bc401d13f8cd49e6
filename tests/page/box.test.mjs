// The message box and what is around a chat: files by drag, paste and choice, what was begun and not sent, the chat's
// model, incognito, search, the keyboard, and an engine that starts anew under an open window.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longText } from './scenes.mjs';
import { engine, mockOnly, site, talk } from './stand.mjs';

const rows = (tab) => tab.page.locator('#chat-list button[data-id]');
const box = (tab) => tab.page.getByLabel('Message', { exact: true });
const letters = (text) => text.replace(/\s+/g, '');

/** Files as the system hands them over, by drag or by paste. */
const give = (tab, type, names) => tab.page.evaluate(([event, given]) => {
  const data = new DataTransfer();
  for (const name of given) data.items.add(new File([name.endsWith('.png') ? new Uint8Array([137, 80, 78, 71]) : 'milk'], name, { type: name.endsWith('.png') ? 'image/png' : 'text/plain' }));
  const target = document.querySelector(event === 'paste' ? '#message' : '#log');
  const init = { bubbles: true, cancelable: true };
  if (event === 'paste') return target.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
  target.dispatchEvent(new DragEvent('dragenter', { ...init, dataTransfer: data }));
  const shown = !document.getElementById('drop').hidden;
  target.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
  target.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
  return shown && document.getElementById('drop').hidden;
}, [type, names]);

test('files are dropped on the conversation and pasted into the box', async () => {
  const tab = await talk();
  assert.equal(await give(tab, 'drop', ['list.txt']), true, 'the window says where to drop, and stops saying so');
  await give(tab, 'paste', ['shot.png']);
  const names = tab.page.locator('#attachments li');
  await tab.page.getByRole('button', { name: /Remove shot.*\.png/ }).waitFor();
  await tab.page.getByRole('button', { name: /Remove list.*\.txt/ }).waitFor();
  assert.equal(await names.locator('img').count(), 1, 'a picture is shown as one');
  assert.deepEqual(await tab.axe(), []);
  await tab.say('Count 3');
  await tab.replied();
  assert.equal(await names.count(), 0);
  assert.equal(await tab.page.locator('article.user').getByText(/list.*\.txt/).count(), 1);
});

test('an upload shows its progress and can be called off', mockOnly('an upload cannot be held up there'), async () => {
  const tab = await talk();
  let release = () => {};
  await tab.page.route('**/api/files', async (route) => {
    await new Promise((done) => (release = done));
    await route.continue();
  });
  await tab.page.getByLabel('Attach files').setInputFiles([{ name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1000) }]);
  await tab.page.getByRole('progressbar', { name: 'Uploading big.txt' }).waitFor();
  await box(tab).fill('Now');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('alert').filter({ hasText: 'still on its way' }).waitFor();
  assert.equal(await box(tab).inputValue(), 'Now', 'nothing that was written is lost');
  await tab.page.getByRole('button', { name: 'Remove big.txt' }).click();
  release();
  await tab.page.waitForTimeout(100);
  assert.equal(await tab.page.locator('#attachments li').count(), 0);
  assert.equal(await tab.page.getByRole('alert').filter({ hasText: 'was not attached' }).count(), 0, 'what the person called off is no problem');
});

test('a file that is gone is named as gone', mockOnly('its files stay'), async () => {
  const tab = await talk();
  await tab.page.getByLabel('Attach files').setInputFiles([{ name: 'old.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
  await tab.page.getByRole('button', { name: 'Remove old.txt' }).waitFor();
  await tab.say('Count 3');
  await tab.replied();
  site.engine.files.clear();
  await tab.page.reload();
  await tab.ready();
  await tab.page.getByText('old.txt: No longer available').waitFor();
});

test('what was written and not sent stays with its chat', async () => {
  const tab = await talk();
  await tab.say('Count 3');
  await tab.replied();
  await rows(tab).first().waitFor();
  await box(tab).fill('half a thought');
  await tab.page.getByRole('button', { name: 'New chat', exact: true }).click();
  assert.equal(await box(tab).inputValue(), '');
  await box(tab).fill('another');
  await rows(tab).first().click();
  assert.equal(await box(tab).inputValue(), 'half a thought');
  await tab.page.getByRole('button', { name: 'New chat', exact: true }).click();
  assert.equal(await box(tab).inputValue(), 'another');
});

test('a chat has a model of its own, or the default', mockOnly('it has one model here'), async () => {
  await engine({ model: 'ollama_chat/big', ollama: ['big', 'small:1b'] });
  site.engine.api.secrets.set('anthropic', 'a key');
  const tab = await talk();
  await tab.page.getByRole('button', { name: 'Model of this chat: big' }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /small:1b/ }).waitFor();
  const offered = await dialog.getByRole('radio').allInnerTexts();
  assert.deepEqual(offered.map((text) => text.split('\n')[0]), ['Use the default', 'big', 'small:1b', 'claude-sonnet-5', 'claude-haiku-4-5'], 'a provider without a key offers nothing');
  assert.deepEqual(await tab.axe(), []);
  await dialog.getByRole('radio', { name: /small:1b/ }).click();
  await tab.say('Count 3');
  await tab.replied();
  const [session] = site.engine.sessions.values();
  assert.equal(session.row.model, 'ollama_chat/small:1b', 'it began with that model');
  await tab.page.getByRole('button', { name: 'Model of this chat: small:1b' }).click();
  await dialog.getByRole('radio', { name: /Use the default/ }).click();
  await tab.page.getByRole('button', { name: 'Model of this chat: big' }).waitFor();
  assert.equal(session.row.model, null);
});

test('an incognito chat is in no list, and ends when it is left', async () => {
  const tab = await talk();
  await tab.page.getByRole('button', { name: 'Incognito chat' }).click();
  await tab.page.getByText('nothing of this chat is remembered').waitFor();
  assert.deepEqual(await tab.axe(), []);
  await tab.say('Count 3');
  await tab.replied();
  const sessions = () => tab.page.evaluate(async (token) => (await fetch('/api/sessions', { headers: { Authorization: `Bearer ${token}` } })).json(), site.token);
  assert.deepEqual((await sessions()).map(({ incognito }) => incognito), [true]);
  await tab.page.waitForTimeout(300);
  assert.equal(await rows(tab).count(), 0);
  await tab.page.getByRole('button', { name: 'New chat', exact: true }).click();
  await tab.page.getByText('nothing of this chat is remembered').waitFor({ state: 'hidden' });
  for (let tries = 0; tries < 50 && (await sessions()).length > 0; tries += 1) await tab.page.waitForTimeout(50);
  assert.deepEqual(await sessions(), []);
  await tab.page.getByRole('button', { name: 'Incognito chat' }).click();
  await tab.say('Count 4');
  await tab.replied();
  assert.equal((await sessions()).length, 1);
  await tab.page.reload();
  await tab.ready();
  for (let tries = 0; tries < 50 && (await sessions()).length > 0; tries += 1) await tab.page.waitForTimeout(50);
  assert.deepEqual(await sessions(), [], 'closing the window is leaving it too');
});

test('chats are searched by their words, and opened at the message', async () => {
  const tab = await talk();
  await tab.say('Count 40');
  await tab.replied();
  await tab.say('Where is the lighthouse?');
  await tab.replied(2);
  await tab.page.getByRole('button', { name: 'New chat', exact: true }).click();
  await tab.page.keyboard.press('Alt+f');
  const dialog = tab.page.getByRole('dialog', { name: 'Search chats' });
  await dialog.getByRole('option').first().waitFor();
  await tab.page.keyboard.type('lighthouse');
  const hit = dialog.getByRole('option').filter({ hasText: 'Where is the lighthouse?' }).first();
  await hit.waitFor();
  assert.equal(await hit.locator('mark').first().innerText(), 'lighthouse');
  assert.deepEqual(await tab.axe(), []);
  await tab.page.keyboard.press('ArrowDown');
  await tab.page.keyboard.press('ArrowUp');
  await tab.page.keyboard.press('Enter');
  await tab.page.locator('.item.found').waitFor();
  assert.match(await tab.page.locator('.item.found').innerText(), /lighthouse/);
  await tab.page.keyboard.press('Alt+f');
  await tab.page.keyboard.type('nobody ever said this');
  await dialog.getByText('Nothing was found.').waitFor();
  await tab.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('everything is done by keyboard', async () => {
  const tab = await talk();
  const press = (keys) => tab.page.keyboard.press(keys);
  await press('/');
  await tab.page.keyboard.type('Count 3');
  await press('Enter');
  await tab.replied();
  await rows(tab).first().waitFor();
  await press('Alt+n');
  await tab.page.getByRole('heading', { level: 1, name: 'New chat' }).waitFor();
  await tab.page.keyboard.type('Count 5');
  await press('Enter');
  await tab.replied();
  await tab.page.waitForFunction(() => document.querySelectorAll('#chat-list button[data-id]').length === 2);
  await press('Alt+ArrowDown');
  await tab.page.getByRole('heading', { level: 1, name: 'Count 3' }).waitFor();
  await press('Alt+ArrowUp');
  await tab.page.getByRole('heading', { level: 1, name: 'Count 5' }).waitFor();
  await press('Alt+r');
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'new-title');
  await press('Escape');
  await press('Alt+m');
  await tab.page.getByRole('radio').first().waitFor();
  assert.equal(await tab.page.evaluate(() => document.activeElement.getAttribute('role')), 'radio');
  await press('Escape');
  await press('Alt+i');
  await tab.page.getByText('nothing of this chat is remembered').waitFor();
  await tab.page.getByRole('log').focus();
  await press('?');
  const keys = tab.page.getByRole('dialog', { name: 'Keys' });
  assert.match(await keys.innerText(), /Alt\+N\s+New chat/);
  assert.deepEqual(await tab.axe(), []);
  await press('Escape');
  await keys.waitFor({ state: 'detached' });
});

test('the numbers behind the meter', mockOnly('its prices are another part\'s'), async () => {
  const tab = await talk();
  await tab.say('Show me how a reply streams');
  await tab.replied();
  await tab.page.getByRole('button', { name: /Context 88%/ }).click();
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText('$1.25').first().waitFor();
  assert.match(await dialog.innerText(), /tour[^]*7,200 of 8,192 tokens[^]*1,020[^]*\$1\.25/);
  assert.deepEqual(await tab.axe(), []);
});

test('the engine starts anew under an open window, and the chat goes on', async () => {
  const tab = await talk();
  await tab.say('Count 5');
  await tab.replied();
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.getByText('No connection to the engine').waitFor();
  await site.loseFrames();
  site.relay.refuse(false);
  await tab.ready();
  await tab.say('Count 6');
  await tab.replied(2);
  assert.equal(letters(await tab.lastReply.locator('.prose').innerText()), letters(longText(6)));
  assert.deepEqual(await tab.page.locator('article.user p').allInnerTexts(), ['Count 5', 'Count 6']);
});

test('the end stays in sight while a reply grows, unless the person reads above', async () => {
  const tab = await talk({ viewport: { width: 900, height: 420 } });
  const log = tab.page.locator('#log');
  const gap = () => log.evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
  await tab.say('Count 900');
  await tab.page.waitForFunction(() => document.querySelector('#log').scrollHeight > document.querySelector('#log').clientHeight + 150);
  assert.ok((await gap()) < 60, 'it follows');
  await log.hover();
  await tab.page.mouse.wheel(0, -150);
  await tab.page.getByRole('button', { name: 'To the newest message' }).waitFor();
  const top = await log.evaluate((node) => node.scrollTop);
  const length = (await tab.lastReply.innerText()).length;
  await tab.page.waitForFunction((before) => document.querySelector('article.reply').innerText.length > before + 300, length);
  assert.ok(Math.abs((await log.evaluate((node) => node.scrollTop)) - top) < 5, 'it stays where it is read');
  await tab.page.getByRole('button', { name: 'To the newest message' }).click();
  await tab.replied();
  assert.ok((await gap()) < 60, 'and follows again');
});
