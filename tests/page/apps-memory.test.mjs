// The Memory screen against the program itself: what a chat taught, with the sentence it was said in; what was not the
// person's own word and waits; and what the person does with both.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programWithApps } from './engine.mjs';
import { ask, engine, go, real, site, talk, visitPlace } from './stand.mjs';

const skip = !real ? 'it needs the program; the run against the program covers it'
  : (await programWithApps()) ? false : 'the program with the test apps was not built (cargo build --workspace --bin with_test_apps)';

/** A model that makes these calls, one each round; questions of the engine itself it cannot answer, so code decides alone. */
const calling = (...calls) => ({ results, tools }) => (tools.length && results.length < calls.length ? { text: 'One moment. ', calls: [calls[results.length]] } : 'Good.');

async function begin(script) {
  await engine({ apps: true });
  site.model.script = script;
  await ask('PATCH', '/api/config', { chat: { auto_title: false }, memory: { extract_after_turn: false }, tools: { approvals: { mode: 'off', second_look_model: false } } });
}

const row = (tab, text) => tab.page.locator('.memory').filter({ hasText: text });
const press = (tab, text, name) => row(tab, text).getByRole('button', { name }).click();

test('a memory is added, changed, moved, doubted and deleted', { skip }, async () => {
  await begin(() => 'Good.');
  const [tab, other] = [await visitPlace('/memory'), await visitPlace('/memory')];
  const field = tab.page.getByLabel('Something I should know');
  await field.fill('Maya is allergic to cashews');
  await field.press('Enter');
  await row(tab, 'cashews').waitFor();
  await row(other, 'cashews').waitFor();
  assert.match(await row(tab, 'cashews').innerText(), /Personal · .*written by you/);
  await field.fill('Maya is allergic to cashews');
  await field.press('Enter');
  await tab.page.getByText(/That was known already/).waitFor();
  await press(tab, 'cashews', /^Edit or move/);
  await tab.page.locator('.memory-edit').getByLabel('Its words').fill('Maya is allergic to cashews and walnuts');
  await tab.page.locator('.memory-edit').getByLabel('Kept for').selectOption('work');
  await tab.page.locator('.memory-edit').getByRole('button', { name: 'Save' }).click();
  await row(tab, 'walnuts').getByText(/Work ·/).waitFor();
  await press(tab, 'walnuts', /^This is not right/);
  await row(tab, 'walnuts').getByText('you said it is not right').waitFor();
  await press(tab, 'walnuts', /^This is right/);
  await row(tab, 'walnuts').getByText('you said it is not right').waitFor({ state: 'detached' });
  await row(tab, 'walnuts').getByText('Where this comes from').click();
  await row(tab, 'walnuts').getByText('Before:').waitFor();
  await press(tab, 'walnuts', /^Delete/);
  await tab.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(tab, 'walnuts').waitFor({ state: 'detached' });
  await row(other, 'walnuts').waitFor({ state: 'detached' });
  assert.deepEqual(await ask('GET', '/api/memories'), []);
});

test('what a chat taught opens that chat at the sentence', { skip }, async () => {
  await begin(calling(['memory_remember', { fact: 'Maya has lunch with Sam on Fridays' }]));
  const tab = await talk();
  await tab.say('Please remember that I, Maya, have lunch with Sam on Fridays');
  await tab.replied();
  await tab.page.locator('.memory-note').getByText(/Maya has lunch with Sam on Fridays/).waitFor();
  await go(tab, '/memory');
  const one = row(tab, 'lunch with Sam');
  await one.getByText('Where this comes from').click();
  await one.locator('.memory-sources').getByText(/have lunch with Sam on Fridays/).waitFor();
  await one.getByRole('link', { name: /Open the chat/ }).click();
  await tab.page.locator('.item.user').getByText('Please remember').waitFor();
  await tab.page.waitForFunction(() => [...(CSS.highlights.get('quote') ?? [])].some((range) => range.toString().includes('lunch')));
});

test('what was read from others waits, and comes in only by a press', { skip }, async () => {
  await begin(calling(['postbox_read', { message_id: 'm1' }], ['memory_remember', { fact: 'Sam can be reached at sam@example.com' }], ['memory_remember', { fact: 'Lunch is on Friday at 1' }]));
  const tab = await talk();
  await tab.say('Read the mail and keep what matters');
  await tab.replied();
  await tab.page.getByText(/Waiting for your review: Sam can be reached/).waitFor();
  await tab.page.getByRole('link', { name: 'Review' }).first().click();
  const item = (text) => tab.page.locator('.review-item').filter({ hasText: text });
  await item('sam@example.com').waitFor();
  await tab.page.getByRole('heading', { name: 'From Postbox' }).waitFor();
  assert.deepEqual(await tab.axe(), []);
  assert.deepEqual(await ask('GET', '/api/memories'), [], 'nothing of it is used yet');
  await item('sam@example.com').getByRole('button', { name: /^Edit first/ }).click();
  await tab.page.getByLabel('Its words').fill('Sam’s address is sam@example.com');
  await tab.page.getByRole('button', { name: 'Approve in these words' }).click();
  await item('sam@example.com').waitFor({ state: 'detached' });
  await item('Lunch is on Friday').getByRole('button', { name: /^Discard/ }).click();
  await tab.page.getByText('Nothing waits for you.').waitFor();
  assert.deepEqual((await ask('GET', '/api/memories')).map(({ content }) => content), ['Sam’s address is sam@example.com']);
});

test('everything that is remembered goes out as a file', { skip }, async () => {
  await begin(() => 'Good.');
  await ask('POST', '/api/memories', { content: 'Maya plays the cello' });
  const tab = await visitPlace('/memory/files');
  await tab.page.getByRole('button', { name: 'Export' }).click();
  const link = tab.page.getByRole('link', { name: /^sentient-memory-.*\.md$/ });
  const address = await link.getAttribute('href');
  const text = await (await fetch(site.origin + address)).text();
  assert.match(text, /Maya plays the cello/);
});

test('the portrait page stands, and takes what the person says', { skip }, async () => {
  await begin(() => 'Good.');
  const tab = await visitPlace('/memory/about');
  await tab.page.getByLabel('Something about you').fill('I prefer short answers');
  await tab.page.keyboard.press('Enter');
  const one = tab.page.locator('[data-insight]');
  await one.getByText('I prefer short answers').waitFor();
  assert.match(await one.innerText(), /you said so/);
  await one.getByRole('button', { name: /^Delete/ }).click();
  await tab.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await one.waitFor({ state: 'detached' });
});
