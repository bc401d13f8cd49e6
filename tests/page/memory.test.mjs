// The Memory screen: what is remembered is found, added, changed, moved, doubted and deleted; what waits is let in only by a
// press; a source opens the chat at its sentence; everything goes out and in as a file.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overflow } from './browser.mjs';
import { engine, go, mockOnly, site, talk, visitPlace } from './stand.mjs';

const furnished = mockOnly('it needs memories from many sources');

/** An engine that remembers some of everything, with the chat in which one of them was said. */
async function remembering() {
  await engine();
  const inner = site.engine;
  const chat = inner.session('talk', 'About lunch');
  for (let at = 0; at < 60; at += 1) inner.store(chat, { role: at % 2 ? 'assistant' : 'user', content: `Line ${at}` });
  const said = inner.store(chat, { role: 'user', content: `${'Many words come first. '.repeat(40)}By the way, I always have lunch on Fridays with Sam.` });
  for (let at = 0; at < 20; at += 1) inner.store(chat, { role: at % 2 ? 'user' : 'assistant', content: `After ${at}` });
  inner.memory.furnish('talk', said.id);
  return inner.memory;
}

const rows = (tab) => tab.page.locator('.memory');
const row = (tab, text) => rows(tab).filter({ hasText: text });
const press = (tab, text, name) => row(tab, text).getByRole('button', { name }).click();
const shown = (tab, count) => tab.page.waitForFunction((wanted) => document.querySelectorAll('.memory').length === wanted, count);

test('memories are found by words, topic, scope and state', furnished, async () => {
  await remembering();
  const tab = await visitPlace('/memory');
  await shown(tab, 4);
  assert.match(await row(tab, 'Kestrel launch is in June').innerText(), /Kestrel launch · Work and learning · written by you/);
  assert.match(await row(tab, 'red bicycle').innerText(), /you said it is not right/);
  assert.deepEqual(await tab.axe(), []);
  await tab.page.getByRole('searchbox', { name: 'Search memories' }).fill('lunch');
  await shown(tab, 1);
  await tab.page.getByRole('searchbox', { name: 'Search memories' }).fill('');
  await tab.page.getByLabel('Topic').selectOption('Personal Identity');
  await shown(tab, 1);
  await tab.page.getByLabel('Topic').selectOption('');
  await tab.page.getByLabel('Kept for').last().selectOption('Kestrel launch');
  await row(tab, 'June').waitFor();
  await shown(tab, 1);
  await tab.page.getByLabel('Kept for').last().selectOption('');
  await tab.page.getByLabel('State').selectOption('superseded');
  await row(tab, 'Pune').waitFor();
  await row(tab, 'Pune').getByText('Where this comes from').click();
  await row(tab, 'Pune').getByText('Replaced by:').waitFor();
  assert.match(await row(tab, 'Pune').innerText(), /Replaced by: Maya lives in Bengaluru/);
  await tab.page.getByRole('searchbox', { name: 'Search memories' }).fill('nothing like it');
  await tab.page.getByText('No memory is like that.').waitFor();
});

test('a memory is added, and what is known already is not added twice', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory');
  await shown(tab, 4);
  const field = tab.page.getByLabel('Something I should know');
  await field.fill('Maya is allergic to cashews');
  await field.press('Enter');
  await tab.page.getByText('Remembered: Maya is allergic to cashews').waitFor();
  await row(tab, 'cashews').waitFor();
  await field.fill('maya lives in bengaluru');
  await field.press('Enter');
  await tab.page.getByText('That was known already: Maya lives in Bengaluru').waitFor();
  assert.equal(memory.facts.length, 6);
  await tab.page.getByLabel('Kept for').first().selectOption('A new project…');
  await tab.page.getByLabel('Name of the project').fill('Garden');
  await field.fill('The tomatoes are for Sam');
  await field.press('Enter');
  await row(tab, 'tomatoes').waitFor();
  assert.equal(memory.facts[0].scope, 'Garden');
});

test('a memory is changed and moved, in every window', furnished, async () => {
  const memory = await remembering();
  const [tab, other] = [await visitPlace('/memory'), await visitPlace('/memory')];
  await press(tab, 'red bicycle', /^Edit or move/);
  const form = tab.page.locator('.memory-edit');
  await form.getByLabel('Its words').fill('Maya owns a blue bicycle');
  await form.getByLabel('Kept for').selectOption('work');
  assert.deepEqual(await tab.axe(), []);
  await form.getByRole('button', { name: 'Save' }).click();
  await row(other, 'blue bicycle').getByText('Work').waitFor();
  assert.deepEqual(memory.done.map(([method, , change]) => [method, change]), [['PUT', { content: 'Maya owns a blue bicycle' }], ['PATCH', { scope: 'work' }]]);
  await form.waitFor({ state: 'detached' });
  assert.match(await tab.page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Edit or move/, 'the focus is where it was');
  await press(tab, 'June', /^Edit or move/);
  await tab.page.keyboard.press('Escape');
  assert.equal(await form.count(), 0, 'Escape changes nothing');
  assert.equal(memory.done.length, 2);
});

test('what is not right is used nowhere until the person says that it is', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory');
  await press(tab, 'Bengaluru', /^This is not right/);
  await row(tab, 'Bengaluru').getByText('you said it is not right').waitFor();
  assert.equal(memory.facts.find(({ id }) => id === 3).state, 'disputed');
  await press(tab, 'Bengaluru', /^This is right/);
  await row(tab, 'Bengaluru').getByText('you said it is not right').waitFor({ state: 'detached' });
  assert.deepEqual([memory.facts.find(({ id }) => id === 3).state, memory.facts.find(({ id }) => id === 3).confidence], ['current', 1]);
});

test('a delete says what goes with it, and hands the focus on', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory');
  await press(tab, 'June', /^Delete/);
  const dialog = tab.page.getByRole('dialog');
  assert.match(await dialog.innerText(), /The Kestrel launch is in June[^]*summaries[^]*The chats themselves stay/);
  assert.deepEqual(await tab.axe(), []);
  await tab.page.keyboard.press('Escape');
  assert.equal(memory.facts.length, 5);
  await press(tab, 'June', /^Delete/);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await shown(tab, 3);
  await tab.page.getByText('Deleted, with what came from it.').waitFor();
  assert.ok(await tab.page.evaluate(() => document.activeElement !== document.body), 'the focus is not lost');
  await tab.page.getByLabel('Kept for').last().selectOption('always');
  await shown(tab, 1);
  await tab.page.getByRole('button', { name: 'Delete everything in “Every chat”' }).click();
  await dialog.getByRole('button', { name: /Delete everything/ }).click();
  await tab.page.getByText('1 memory was deleted.').waitFor();
  assert.ok(!memory.facts.some(({ scope }) => scope === 'always'));
});

test('a source opens the chat at the sentence', furnished, async () => {
  await remembering();
  const tab = await visitPlace('/memory');
  const one = row(tab, 'lunch on Fridays');
  await one.getByText('Where this comes from').click();
  await one.getByText('Friday as usual?').waitFor();
  assert.equal(await one.getByRole('link', { name: 'Lunch', exact: true }).getAttribute('rel'), 'noopener noreferrer');
  assert.deepEqual(await tab.axe(), []);
  await one.getByRole('link', { name: 'Open the chat at this sentence' }).click();
  await tab.page.locator('.item.found').getByText('lunch on Fridays').waitFor();
  const marked = await tab.page.evaluate(() => {
    const [range] = CSS.highlights.get('quote') ?? [];
    const [log, words] = [document.getElementById('log').getBoundingClientRect(), range.getBoundingClientRect()];
    return { text: range.toString(), seen: words.top >= log.top && words.bottom <= log.bottom };
  });
  assert.deepEqual(marked, { text: 'lunch on Fridays', seen: true });
  assert.ok(!(await tab.page.evaluate(() => location.hash)).includes('quote'), 'the words leave the address');
});

test('what waits is grouped, let in as it is or in other words, and discarded', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory/review');
  const groups = tab.page.locator('.memory-page section h2');
  await groups.first().waitFor();
  assert.deepEqual(await groups.allInnerTexts(), ['Instructions for Sentient', 'From Gmail', 'From ChatGPT', 'Merged by the nightly tidying']);
  assert.equal(await tab.page.locator('.memory-nav .pill').innerText(), '4');
  assert.deepEqual(await tab.axe(), []);
  const card = (text) => tab.page.locator('.review-item').filter({ hasText: text });
  assert.match(await card('Lisbon').innerText(), /Your flight to Lisbon on 3 May is booked/);
  await card('Lisbon').getByRole('button', { name: /^Edit first/ }).click();
  await tab.page.getByLabel('Its words').fill('Maya flies to Lisbon on 4 May');
  await tab.page.getByRole('button', { name: 'Approve in these words' }).click();
  await tab.page.getByText('Approved: it is a memory now.').waitFor();
  assert.equal(memory.facts[0].content, 'Maya flies to Lisbon on 4 May');
  await card('forward invoices').getByRole('button', { name: /^Discard/ }).click();
  await card('forward invoices').waitFor({ state: 'detached' });
  assert.ok(!memory.facts.some(({ content }) => content.includes('invoices')));
  await card('short answers').getByRole('button', { name: /^Approve/ }).click();
  await card('short answers').waitFor({ state: 'detached' });
  await tab.page.waitForFunction(() => document.querySelector('.memory-nav .pill').textContent === '1');
  await tab.page.getByRole('button', { name: /^Keep both/ }).click();
  await tab.page.getByText('Both are kept from now on.').waitFor();
  assert.deepEqual(memory.merged, []);
});

test('everything from one place is let in at once, after a question', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory/review');
  await tab.page.getByRole('button', { name: 'Approve all 2' }).click();
  const dialog = tab.page.getByRole('dialog');
  assert.match(await dialog.innerText(), /everything from Gmail/);
  await dialog.getByRole('button', { name: 'Approve all' }).click();
  await tab.page.getByText('2 memories were approved.').waitFor();
  assert.deepEqual(memory.review.map(({ from }) => from), ['an instruction', 'ChatGPT']);
});

test('words that are being changed are not taken away by news', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory/review');
  await tab.page.locator('.review-item').filter({ hasText: 'Lisbon' }).getByRole('button', { name: /^Edit first/ }).click();
  await tab.page.getByLabel('Its words').fill('half writ');
  memory.told('ADD', null, { count: 1, status: 'pending' });
  await tab.page.waitForTimeout(500);
  assert.equal(await tab.page.getByLabel('Its words').inputValue(), 'half writ');
});

test('everything goes out as a file, and a document comes in for review', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory/files');
  await tab.page.getByRole('button', { name: 'Export' }).click();
  await tab.page.getByText('5 memories and 2 insights are in it; 4 wait for your review.').waitFor();
  const link = tab.page.getByRole('link', { name: 'sentient-memory-20261130-120000.md' });
  assert.match(await link.getAttribute('href'), /^\/api\/files\/content\/exports\/sentient-memory-20261130-120000\.md\?token=/);
  assert.deepEqual(await tab.axe(), []);
  const file = tab.page.getByLabel('A PDF, text, Markdown or Word file');
  await file.setInputFiles({ name: 'cv.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
  await tab.page.getByRole('button', { name: 'Read it' }).click();
  await tab.page.getByText('Only PDF, text, Markdown and Word files can be read.').waitFor();
  await file.setInputFiles({ name: 'cv.md', mimeType: 'text/markdown', buffer: Buffer.from('Delhi') });
  await tab.page.getByRole('button', { name: 'Read it' }).click();
  await tab.page.getByText('1 memory waits for your review; 2 were known.').waitFor();
  assert.equal(memory.review.length, 5);
  await tab.page.getByRole('link', { name: 'Review them' }).click();
  await tab.page.getByRole('heading', { name: 'From cv.md' }).waitFor();
});

test('the portrait: a question is answered, an insight is confirmed, reworded and taken out', furnished, async () => {
  const memory = await remembering();
  const tab = await visitPlace('/memory/about');
  await tab.page.locator('.portrait strong').getByText('short answers').waitFor();
  assert.deepEqual(await tab.axe(), []);
  await tab.page.getByRole('textbox', { name: 'Do you still cycle to work?' }).fill('Yes, in summer');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByText('Thank you. It is kept.').waitFor();
  assert.deepEqual(memory.done, [['POST', 'question', 'Yes, in summer']]);
  const one = tab.page.locator('[data-insight="m2"]');
  await one.getByText('1 place that says so').click();
  await one.getByText('Friday at 1, as always').waitFor();
  await one.getByRole('button', { name: /^This is right/ }).click();
  await one.getByText('you said so').waitFor();
  await one.getByRole('button', { name: /^Say it in your words/ }).click();
  await tab.page.getByLabel('Its words').fill('Has lunch with Sam on Thursdays');
  await tab.page.getByRole('button', { name: 'Save' }).click();
  await one.getByText('Thursdays').waitFor();
  await one.getByRole('button', { name: /^This is not right/ }).click();
  await tab.page.getByText('1 that is not right').click();
  await one.getByText('Thursdays').waitFor();
  await tab.page.getByLabel('Something about you').fill('I prefer trains');
  await tab.page.keyboard.press('Enter');
  await tab.page.getByText('I prefer trains').waitFor();
});

test('the screen fits a phone and works in both themes', furnished, async () => {
  await remembering();
  for (const colorScheme of ['light', 'dark']) {
    const tab = await visitPlace('/memory', { viewport: { width: 360, height: 640 }, colorScheme });
    await shown(tab, 4);
    for (const place of ['/memory', '/memory/review', '/memory/about', '/memory/files']) {
      await go(tab, place);
      await tab.page.locator('.memory-page section, .memory').first().waitFor();
      assert.deepEqual(await tab.page.evaluate(overflow), [], place);
      assert.deepEqual(await tab.axe(), [], `${place} ${colorScheme}`);
    }
  }
});

test('an engine without memories says so', mockOnly('it has them'), async () => {
  await engine();
  site.engine.memory.route = async (_, path) => (/^\/api\/(memories|user-model)/.test(path) ? { status: 404, detail: 'not found' } : undefined);
  const tab = await visitPlace('/memory');
  await tab.page.getByText('This engine keeps no memories yet.').waitFor();
});

test('what a chat has learned is on the screen a moment later', furnished, async () => {
  const memory = await remembering();
  const tab = await talk();
  await go(tab, '/memory');
  await shown(tab, 4);
  memory.add({ content: 'Maya prefers trains' });
  await row(tab, 'prefers trains').waitFor();
});
