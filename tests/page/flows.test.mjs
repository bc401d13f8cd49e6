// What a person does with the page, in a real browser, from the address to the answer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overflow } from './browser.mjs';
import { FAILING, STREAMED, WORDS, longText } from './scenes.mjs';
import { engine, mockOnly, real, site, talk, visit } from './stand.mjs';

// The program speaks a word every 20 ms, the mock is quicker.
const LONG = real ? 400 : 1200;

const letters = (text) => text.replace(/\s+/g, '');
const heardOf = (type) => site.engine?.heard.filter((frame) => frame.type === type) ?? [];

test('the token leaves the address bar and lasts for the tab', async () => {
  const tab = await talk();
  assert.ok(!tab.page.url().includes('token'), tab.page.url());
  await tab.page.reload();
  await tab.ready();
  const query = await talk({ path: `/?token=${site.token}` });
  assert.ok(!query.page.url().includes('token'), query.page.url());
});

test('without a token, and with a wrong one, the page asks for it', async () => {
  const tab = await visit({ path: '/' });
  await tab.page.getByLabel('Token').fill('not the token');
  await tab.page.getByRole('button', { name: 'Open' }).click();
  await tab.page.getByRole('alert').filter({ hasText: 'did not accept' }).waitFor();
  assert.deepEqual(await tab.axe(), []);
  await tab.page.getByLabel('Token').fill(site.token);
  await tab.page.getByRole('button', { name: 'Open' }).click();
  await tab.ready();
});

test('a reply streams in, with its thinking folded, and stays after a reload', async () => {
  const tab = await talk();
  await tab.page.evaluate(() => {
    // Looked at in the page, whenever it is drawn: a busy computer draws seldom, and never all at once.
    globalThis.lengths = new Set();
    new MutationObserver(() => globalThis.lengths.add([...document.querySelectorAll('article.reply .prose')].at(-1)?.textContent.length ?? 0))
      .observe(document.getElementById('log'), { childList: true, characterData: true, subtree: true });
  });
  await tab.say(WORDS.stream);
  await tab.replied();
  const lengths = await tab.page.evaluate(() => [...globalThis.lengths]);
  assert.ok(lengths.length > 3, `the text grew in ${lengths.length} steps`);
  assert.equal(await tab.lastReply.locator('details.thinking').getAttribute('open'), null, 'thinking starts folded');
  await tab.lastReply.getByText('Thinking', { exact: true }).click();
  assert.notEqual((await tab.lastReply.locator('.thinking p').innerText()).trim(), '');
  const before = await tab.lastReply.locator('.prose').innerHTML();
  await tab.page.locator('#chat-list button[aria-current]').waitFor();
  await tab.page.reload();
  await tab.ready();
  await tab.replied();
  assert.equal(await tab.replies.count(), 1);
  assert.equal(await tab.page.locator('article.user').count(), 1);
  assert.equal(await tab.lastReply.locator('.prose').innerHTML(), before, 'stored and streamed look the same');
});

test('Markdown of a reply becomes structure', async () => {
  const tab = await talk();
  await tab.say(WORDS.stream);
  await tab.replied();
  const prose = tab.lastReply.locator('.prose');
  assert.equal(await prose.locator('strong').innerText(), 'how a reply looks');
  assert.equal(await prose.locator('ol > li').count(), 2);
  assert.equal(await prose.locator('pre code').innerText(), 'fn main() { println!("hello"); }');
  assert.equal(await prose.locator('td').count(), 2);
  const link = prose.getByRole('link', { name: 'links' });
  assert.equal(await link.getAttribute('href'), 'https://example.com/a');
  assert.match(await link.getAttribute('rel'), /noopener/);
  assert.ok((await prose.innerText()).includes('(example.com/a)'), 'a link says where it leads');
  assert.ok(STREAMED.includes('That is all.') && (await prose.innerText()).includes('That is all.'));
});

test('the context meter warns', async () => {
  const tab = await talk();
  await tab.say(real ? `Is this too much?${' more'.repeat(5_700)}` : WORDS.stream);
  await tab.replied();
  assert.match(await tab.page.locator('#context-label').innerText(), /^Context (8[5-9]|9\d)%$/);
  assert.match(await tab.page.locator('#context-warning').innerText(), /getting long/);
});

test('a tool shows what it does and what came of it', async () => {
  const tab = await talk();
  await tab.say(WORDS.tool);
  await tab.replied();
  const call = tab.page.getByRole('region', { name: 'Current datetime' });
  await call.getByText('Looked at the clock').click();
  const [time] = /\d\d:\d\d/.exec(await call.getByRole('region', { name: 'Result' }).innerText());
  assert.match(await tab.lastReply.innerText(), new RegExp(`It is ${time}`));
  assert.equal(await call.getAttribute('data-state'), 'done');
  if (real) return; // its clock writes no lines and names no page
  assert.match(await call.getByRole('region', { name: 'Output' }).innerText(), /tick\ntock/);
  await tab.lastReply.getByText('1 source').click();
  await tab.lastReply.getByRole('link', { name: 'About clocks' }).waitFor();
});

test('a question is answered with yes, and the call runs', async () => {
  const tab = await talk();
  await tab.say(WORDS.ask);
  const card = tab.page.getByRole('group', { name: /asks for your OK/ });
  await card.waitFor();
  const offered = ['Allow once', 'Allow for this chat', 'Allow for 1 hour', 'Always allow', 'Deny'];
  assert.deepEqual(await card.getByRole('button').allInnerTexts(), offered);
  assert.match(await card.innerText(), /Changes something/);
  assert.deepEqual(await tab.axe(), []);
  await card.getByRole('button', { name: 'Allow once' }).click();
  await tab.replied();
  await tab.page.locator('.call[data-state="done"]').waitFor();
  assert.match(await tab.page.locator('.approval').innerText(), /You answered: Allow once/);
  if (site.engine) assert.deepEqual(heardOf('approval.respond').map(({ decision }) => decision), ['allow']);
});

test('a question is answered with no by keyboard, and the call does not run', async () => {
  const tab = await talk();
  await tab.say(WORDS.ask);
  const deny = tab.page.getByRole('button', { name: 'Deny' });
  await deny.waitFor();
  await tab.page.getByRole('log').focus();
  for (let tries = 0; tries < 20 && !(await deny.evaluate((node) => node === document.activeElement)); tries += 1) {
    await tab.page.keyboard.press('Tab');
  }
  await tab.page.keyboard.press('Enter');
  await tab.replied();
  await tab.page.locator('.call[data-state="declined"]').waitFor();
  assert.equal(await tab.page.locator('.call[data-state="done"]').count(), 0);
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'message', 'the focus is somewhere useful');
  if (site.engine) assert.deepEqual(heardOf('approval.respond').map(({ decision }) => decision), ['deny']);
});

test('Stop ends the reply, once, and keeps what was said', async () => {
  const tab = await talk();
  await tab.say(WORDS.long);
  await tab.lastReply.locator('.prose').first().waitFor();
  await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await tab.replied();
  assert.match(await tab.lastReply.innerText(), /Stopped/);
  assert.equal(await tab.page.getByRole('button', { name: 'Stop', exact: true }).isVisible(), false);
  if (site.engine) assert.equal(heardOf('chat.cancel').length, 1);
  const kept = (await tab.lastReply.innerText()).length;
  await tab.page.waitForTimeout(200);
  assert.equal((await tab.lastReply.innerText()).length, kept, 'nothing comes after the end');
});

test('a message written during a reply joins it', async () => {
  const tab = await talk();
  await tab.say('Count 60');
  await tab.lastReply.locator('.prose').first().waitFor();
  await tab.say('and be quick');
  await tab.replied();
  assert.match(await tab.lastReply.locator('.steer').innerText(), /and be quick/);
  assert.equal(letters(await tab.lastReply.locator('.prose').first().innerText()), letters(longText(60)));
  assert.notEqual(await tab.lastReply.locator('.steer ~ .prose').innerText(), '', 'it is answered in the same reply');
  assert.equal(await tab.page.locator('article.user').count(), 1, 'it is shown once');
});

/** Waits until the reply in the making has grown by some letters, and answers what is shown of it then. */
async function grown(tab, by = 60) {
  const before = (await tab.lastReply.innerText()).length;
  await tab.page.waitForFunction((length) => [...document.querySelectorAll('article.reply')].at(-1)?.innerText.length > length, before + by);
  return letters((await tab.lastReply.locator('.prose').allInnerTexts()).join(''));
}

async function breakAndComeBack(tab) {
  site.relay.cut();
  await tab.page.waitForFunction(() => document.body.dataset.link === 'closed');
  await tab.ready();
}

test('a broken connection loses and doubles nothing', async () => {
  const tab = await talk();
  await tab.say(`Count ${LONG}`);
  const whole = letters(longText(LONG));
  for (let cut = 0; cut < 3; cut += 1) {
    await grown(tab);
    await breakAndComeBack(tab);
    const shown = await grown(tab);
    assert.ok(shown.length < whole.length, 'looked at while it is being written, before the final text can mend anything');
    assert.ok(whole.startsWith(shown), shown);
  }
  await tab.replied();
  assert.equal(letters(await tab.lastReply.locator('.prose').innerText()), whole);
  assert.equal(await tab.replies.count(), 1);
  assert.equal(await tab.page.locator('article.user').count(), 1);
});

test('what was shown across a broken connection is what was stored', async () => {
  const tab = await talk();
  await tab.say(WORDS.long);
  await grown(tab, 30);
  await breakAndComeBack(tab);
  const shown = await grown(tab, 30);
  await tab.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await tab.replied();
  const stored = await tab.page.evaluate(async (token) => {
    const get = async (path) => (await fetch(path, { headers: { Authorization: `Bearer ${token}` } })).json();
    const [chat] = await get('/api/sessions');
    return get(`/api/sessions/${chat.id}/messages`);
  }, site.token);
  const words = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '');
  const said = stored.filter(({ role }) => role === 'assistant').map(({ content }) => content).join('');
  assert.ok(words(said).startsWith(words(shown)), `${words(said)} does not begin with ${words(shown)}`);
  assert.equal(stored.filter(({ role }) => role === 'user').length, 1);
  assert.equal(await tab.replies.count(), 1);
});

test('a message written while the connection is down arrives exactly once', async () => {
  const tab = await talk();
  await tab.say('Count 3');
  await tab.replied();
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.getByText('No connection to the engine').waitFor();
  await tab.say('Count 5');
  await tab.page.getByText('Sending…').waitFor();
  site.relay.refuse(false);
  await tab.replied(2);
  if (site.engine) assert.equal(heardOf('chat.send').filter(({ text }) => text === 'Count 5').length, 1);
  assert.equal(letters(await tab.lastReply.locator('.prose').innerText()), letters(longText(5)));
  assert.equal(await tab.page.getByText('Sending…').count(), 0);
});

test('after frames are lost for good the page fetches the truth', async () => {
  const tab = await talk();
  await tab.say('Count 200');
  await tab.page.waitForFunction(() => document.querySelector('article.reply')?.innerText.length > 60);
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.waitForFunction(() => document.body.dataset.link === 'closed');
  await tab.page.waitForTimeout(200); // frames pass that nobody hears
  await site.loseFrames();
  site.relay.refuse(false);
  await tab.ready();
  await tab.replied();
  await tab.page.waitForFunction((wanted) => document.querySelector('article.reply .prose')?.innerText.replace(/\s+/g, '') === wanted, letters(longText(200)));
  assert.equal(await tab.replies.count(), 1);
});

test('a window that was too slow catches up', mockOnly('the program cannot be told to leave a window behind'), async () => {
  const tab = await talk();
  await tab.say('Count 150');
  await tab.page.waitForFunction(() => document.querySelector('article.reply')?.innerText.length > 60);
  site.engine.leaveBehind();
  await tab.replied();
  await tab.page.waitForFunction((wanted) => document.querySelector('article.reply .prose')?.innerText.replace(/\s+/g, '') === wanted, letters(longText(150)));
  assert.equal(await tab.replies.count(), 1);
  assert.equal(await tab.page.locator('article.user').count(), 1);
});

test('a second window sees the same chat, also when it comes in the middle', async () => {
  const first = await talk();
  await first.say('Count 200');
  await first.page.waitForFunction(() => document.querySelector('article.reply')?.innerText.length > 60);
  const second = await talk();
  await second.page.locator('#chat-list button').first().click();
  await Promise.all([first.replied(), second.replied()]);
  await second.page.waitForFunction((wanted) => document.querySelector('article.reply .prose')?.innerText.replace(/\s+/g, '') === wanted, letters(longText(200)));
  assert.equal(await second.page.locator('article.user').count(), 1);
});

test('a question asked before a window opened waits in it, and is answered there', async () => {
  const first = await talk();
  await first.say(WORDS.ask);
  await first.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
  const second = await talk();
  const row = second.page.locator('#chat-list button').first();
  await row.getByText('waits for you').waitFor();
  await row.click();
  const card = second.page.getByRole('group', { name: /asks for your OK/ });
  await card.waitFor();
  assert.equal(await second.replies.count(), 1);
  assert.equal(await second.page.locator('.call').count(), 1, 'stored and heard are one call');
  await second.page.reload();
  await second.ready();
  await card.getByRole('button', { name: 'Deny' }).click();
  await Promise.all([first.replied(), second.replied()]);
  for (const tab of [first, second]) {
    await tab.page.locator('.call[data-state="declined"]').waitFor();
    assert.equal(await tab.page.locator('.approval[data-state="open"]').count(), 0);
    await tab.page.getByText('waits for you').waitFor({ state: 'detached' });
  }
});

test('an answer given while the connection is down arrives', async () => {
  const tab = await talk();
  await tab.say(WORDS.ask);
  const card = tab.page.getByRole('group', { name: /asks for your OK/ });
  await card.waitFor();
  await tab.page.evaluate(() => {
    // The frame is lost on the way, as when a network goes silently.
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function lose(data) {
      if (!data.includes('approval.respond')) send.call(this, data);
    };
    globalThis.restore = () => (WebSocket.prototype.send = send);
  });
  await card.getByRole('button', { name: 'Allow once' }).click();
  await tab.page.getByText('Sending your answer…').waitFor();
  await tab.page.evaluate(() => globalThis.restore());
  await breakAndComeBack(tab);
  await tab.replied();
  await tab.page.locator('.call[data-state="done"]').waitFor();
  assert.match(await tab.page.locator('.approval').innerText(), /You answered: Allow once/);
});

test('two open windows show each other\'s messages', async () => {
  const first = await talk();
  await first.say('Count 3');
  await first.replied();
  const second = await talk();
  await second.page.locator('#chat-list button').first().click();
  await second.replied();
  await second.say('Count 30');
  await Promise.all([first.replied(2), second.replied(2)]);
  for (const tab of [first, second]) {
    assert.deepEqual(await tab.page.locator('article.user p').allInnerTexts(), ['Count 3', 'Count 30']);
    assert.equal(letters(await tab.lastReply.locator('.prose').innerText()), letters(longText(30)));
  }
});

test('a chat is renamed and deleted, in every window and by keyboard', async () => {
  const tab = await talk();
  const actions = tab.page.getByRole('button', { name: 'Rename' });
  assert.equal(await actions.isVisible(), false, 'there is nothing to rename yet');
  await tab.say('Count 4');
  await tab.replied();
  const other = await talk();
  await other.page.locator('#chat-list button').first().click();
  await actions.focus();
  await tab.page.keyboard.press('Enter');
  assert.deepEqual(await tab.axe(), [], 'while it is renamed');
  await tab.page.keyboard.press('Escape');
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'rename', 'Escape leaves all as it was');
  await tab.page.keyboard.press('Enter');
  await tab.page.keyboard.type('Numbers');
  await tab.page.keyboard.press('Enter');
  await Promise.all([tab, other].map(({ page }) => page.locator('h1', { hasText: 'Numbers' }).waitFor()));
  await tab.page.reload();
  await tab.ready();
  await tab.page.locator('#chat-list button', { hasText: 'Numbers' }).waitFor();

  const ask = tab.page.getByRole('button', { name: 'Delete', exact: true });
  await ask.focus();
  await tab.page.keyboard.press('Enter');
  const dialog = tab.page.getByRole('dialog');
  assert.match(await dialog.innerText(), /Delete “Numbers”\?/);
  assert.deepEqual(await tab.axe(), [], 'while it asks');
  await tab.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await tab.page.locator('#chat-list li').count(), 1);
  await ask.click();
  await dialog.getByRole('button', { name: 'Delete chat' }).click();
  await Promise.all([tab, other].map(({ page }) => page.locator('#no-chats').waitFor()));
  for (const { page, replies } of [tab, other]) {
    assert.equal(await replies.count(), 0);
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'New chat');
  }
});

test('a reply that fails says so and what to do', async () => {
  await engine({ model: FAILING });
  const tab = await talk();
  await tab.say(WORDS.stream);
  await tab.replied();
  assert.match(await tab.lastReply.getByRole('alert').innerText(), /pick another model/);
  if (site.engine) assert.match(await tab.lastReply.locator('.notice').innerText(), /another model for now/);
  assert.match(await tab.lastReply.innerText(), /nothing of it was saved/);
});

test('a file is attached, named by the engine, and can be taken off', async () => {
  const tab = await talk();
  const file = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('milk') };
  await tab.page.getByLabel('Attach files').setInputFiles([file, { ...file, name: 'second.txt' }]);
  await tab.page.getByRole('button', { name: 'Remove list.txt' }).waitFor();
  await tab.page.getByRole('button', { name: 'Remove second.txt' }).click();
  await tab.say(WORDS.stream);
  await tab.replied();
  assert.equal(await tab.page.locator('article.user').getByRole('link', { name: 'list.txt' }).count(), 1);
  assert.equal(await tab.page.locator('#attachments li').count(), 0);
  if (site.engine) assert.deepEqual(heardOf('chat.send')[0].attachments, ['uploads/list.txt']);
});

test('a model that is not there is named, and another can be chosen', async () => {
  await engine({ model: 'ollama_chat/big', ollama: ['small:1b', 'nomic-embed-text:latest'] });
  const tab = await talk();
  await tab.page.getByText('big is not downloaded').waitFor();
  assert.deepEqual(await tab.page.getByRole('combobox', { name: 'Model', exact: true }).locator('option').allInnerTexts(), ['ollama_chat/small:1b']);
  assert.deepEqual(await tab.axe(), []);
  await tab.page.getByRole('button', { name: 'Use this model' }).click();
  await tab.page.locator('#hint').waitFor({ state: 'hidden' });
  await tab.page.reload();
  await tab.ready();
  await tab.page.waitForTimeout(300);
  assert.equal(await tab.page.locator('#hint').isVisible(), false, 'it is kept');
  if (site.engine) assert.equal(site.engine.api.config.models.roles.primary, 'ollama_chat/small:1b');
});

test('chats can be left and come back to', async () => {
  const tab = await talk();
  await tab.say('Count 4');
  await tab.replied();
  await tab.page.getByRole('button', { name: 'New chat' }).click();
  assert.equal(await tab.replies.count(), 0);
  await tab.say(WORDS.tool);
  await tab.replied();
  await tab.page.getByRole('button', { name: 'Count 4' }).click();
  await tab.page.waitForFunction((wanted) => document.querySelector('article.reply .prose')?.innerText.replace(/\s+/g, '') === wanted, letters(longText(4)));
  assert.equal(await tab.page.getByRole('heading', { level: 1 }).innerText(), 'Count 4');
});

/** The program's own choice of colours counts more than the browser's. */
async function setTheme(tab, theme) {
  const headers = { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${site.origin}/api/config`, { method: 'PATCH', headers, body: JSON.stringify({ ui: { theme } }) });
  assert.ok(answer.ok, await answer.text());
  await tab.page.reload();
  await tab.ready();
}

for (const colorScheme of ['light', 'dark']) {
  test(`nothing is in the way of assistive tools (${colorScheme})`, async () => {
    const tab = await talk({ colorScheme });
    if (real) await setTheme(tab, colorScheme);
    assert.deepEqual(await tab.axe(), [], 'empty');
    await tab.say(WORDS.stream);
    await tab.replied();
    await tab.say(WORDS.ask);
    await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
    await tab.unfold();
    assert.deepEqual(await tab.axe(), [], 'in use');
  });
}

test('it fits a window 360 px wide', async () => {
  const tab = await talk({ viewport: { width: 360, height: 640 } });
  assert.deepEqual(await tab.page.evaluate(overflow), [], 'empty');
  await tab.say(WORDS.stream);
  await tab.replied();
  await tab.say(WORDS.ask);
  const card = tab.page.getByRole('group', { name: /asks for your OK/ });
  await card.waitFor();
  assert.deepEqual(await tab.page.evaluate(overflow), [], 'with a question');
  const box = await card.getByRole('button', { name: 'Deny' }).boundingBox();
  assert.ok(box.height >= 32, `the button is ${box.height} px high`);
  assert.equal(await tab.page.locator('#chat-list').isVisible(), false);
  await tab.page.getByRole('button', { name: 'Chats' }).click();
  await tab.page.locator('#chat-list button').first().waitFor();
  assert.deepEqual(await tab.page.evaluate(overflow), [], 'with the list');
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.getByText('No connection to the engine').waitFor();
  assert.deepEqual(await tab.page.evaluate(overflow), [], 'without a connection');
  assert.deepEqual(await tab.axe(), []);
});
