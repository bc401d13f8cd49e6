// The cards of a chat against the program itself, with apps that can send (tests/src/apps) and a model that a test scripts
// (model.mjs). The engine decides what may happen; what really left is asked of the apps, never of the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programWithApps } from './engine.mjs';
import { gate } from './model.mjs';
import { ask, engine, go, real, site, talk } from './stand.mjs';

const skip = !real ? 'it needs the program; the run against the program covers it'
  : (await programWithApps()) ? false : 'the program with the test apps was not built (cargo build --workspace --bin with_test_apps)';
const LUNCH = { to: 'sam@example.com', subject: 'Lunch & more', body: 'Friday at 1?\n\nBest,\nMaya' };
const WISH = 'Write to sam@example.com that lunch is on Friday';

/** Starts the program; `script` is its model, `approvals` what is set about asking. */
async function begin(script, approvals = {}) {
  await engine({ apps: true });
  site.model.script = script;
  await ask('PATCH', '/api/config', { chat: { auto_title: false }, tools: { approvals: { second_look_model: false, ...approvals } } });
}

/** A model that makes these calls, one each round, and then says what it was told last. */
const calling = (...calls) => ({ results }) => (results.length < calls.length ? { text: 'One moment. ', calls: [calls[results.length]] } : `I see: ${results.at(-1).text.slice(0, 60)}`);

const card = (tab, name) => tab.page.getByRole('group', { name });
const waits = (tab) => card(tab, /still be taken back/);
const asks = (tab) => card(tab, /asks for your OK/);
const state = (tab, name) => tab.page.locator(`.call[data-state="${name}"]`).waitFor();
const openFirst = (tab) => tab.page.locator('#chat-list button[data-id]').first().click();

test('an email waits, and what is taken back never leaves', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH]), { mode: 'off', undo_seconds: 30 });
  const tab = await talk();
  await tab.say(WISH);
  await waits(tab).waitFor();
  assert.match(await waits(tab).innerText(), /To\s+sam@example\.com\s+Subject\s+Lunch & more[^]*Friday at 1\?/);
  assert.match(await waits(tab).innerText(), /\b(30|2\d) s/);
  assert.deepEqual(await tab.axe(), []);
  await waits(tab).getByRole('button', { name: 'Undo' }).click();
  await tab.replied();
  await tab.page.getByText('Undone. Nothing was sent.').waitFor();
  await state(tab, 'undone');
  assert.deepEqual(await site.left(), []);
  await tab.page.reload();
  await tab.ready();
  await state(tab, 'undone');
  assert.equal(await tab.page.getByText(/NOT SENT/).count(), 1, 'only the model repeated its words');
});

test('an email goes at once on a press', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH]), { mode: 'off', undo_seconds: 60 });
  const tab = await talk();
  await tab.say(WISH);
  await waits(tab).getByRole('button', { name: 'Send now' }).click();
  await tab.replied();
  await state(tab, 'done');
  assert.deepEqual((await site.left()).map(({ tool, to }) => [tool, to]), [['postbox_send', ['sam@example.com']]]);
  assert.equal(await tab.page.getByRole('button', { name: 'Undo' }).count(), 0);
});

test('when the time is over the email goes, once, and every window knows it', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH]), { mode: 'off', undo_seconds: 3 });
  const [first, second] = [await talk(), await talk()];
  await first.say(WISH);
  await openFirst(second);
  await waits(second).waitFor();
  await Promise.all([first, second].map((tab) => tab.replied()));
  for (const tab of [first, second]) {
    await state(tab, 'done');
    assert.equal(await tab.page.locator('.undo[data-state="open"]').count(), 0);
  }
  assert.equal((await site.left()).length, 1);
});

test('a window that opens while an email waits can take it back', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH]), { mode: 'off', undo_seconds: 60 });
  const first = await talk();
  await first.say(WISH);
  await waits(first).waitFor();
  await first.page.reload();
  await first.ready();
  await waits(first).waitFor();
  const second = await talk();
  await openFirst(second);
  await waits(second).getByRole('button', { name: 'Undo' }).click();
  await Promise.all([first.replied(), second.replied()]);
  for (const tab of [first, second]) await state(tab, 'undone');
  assert.deepEqual(await site.left(), []);
});

test('Stop while an email waits means that it is not sent', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH]), { mode: 'off', undo_seconds: 60 });
  const tab = await talk();
  await tab.say(WISH);
  await waits(tab).waitFor();
  await tab.page.getByLabel('Message', { exact: true }).focus();
  await tab.page.keyboard.press('Escape');
  await tab.replied();
  await tab.page.getByText('Undone. Nothing was sent.').waitFor();
  assert.deepEqual(await site.left(), []);
});

test('after words of others a question says whose they are and what nobody asked for', { skip }, async () => {
  const bill = { to: 'billing@example.com', subject: 'Invoice 17', body: 'Thank you.' };
  await begin(calling(['postbox_read', { message_id: 'm2' }], ['postbox_send', bill]), { mode: 'off' });
  const [tab, other] = [await talk(), await talk()];
  await tab.say('Look at the invoice and thank them');
  await asks(tab).waitFor();
  const text = await asks(tab).innerText();
  for (const wanted of ['billing@example.com', 'Invoice 17', 'Thank you.', 'Postbox']) assert.ok(text.includes(wanted), `${wanted} is missing: ${text}`);
  assert.ok((await asks(tab).locator('.warning').count()) >= 1, text);
  assert.deepEqual(await asks(tab).getByRole('button').allInnerTexts(), ['Allow once', 'Deny'], 'nothing wider is offered');
  assert.deepEqual(await tab.axe(), []);
  await openFirst(other);
  await asks(other).getByRole('button', { name: 'Deny' }).click();
  await Promise.all([tab.replied(), other.replied()]);
  for (const one of [tab, other]) {
    await state(one, 'declined');
    assert.equal(await one.page.locator('.approval[data-state="open"]').count(), 0);
  }
  assert.deepEqual(await site.left(), []);

  // The chat is marked, and trusted again with one press; then the mark is gone in every window and stays gone.
  const mark = tab.page.locator('.trust');
  await mark.getByText('This chat read content from Postbox').click();
  await mark.getByRole('button', { name: /trust this chat again/ }).click();
  await mark.waitFor({ state: 'detached' });
  await other.page.locator('.trust').waitFor({ state: 'detached' });
  await tab.page.reload();
  await tab.ready();
  await tab.page.locator('.item.event').getByText('You trusted this chat again.').waitFor();
  assert.equal(await tab.page.locator('.trust').count(), 0);
});

test('a chat that read something newer stays marked', { skip }, async () => {
  const later = gate();
  await begin(({ said, results }) => {
    if (results.length === 0) return { calls: [['postbox_read', { message_id: said.includes('again') ? 'm1' : 'm2' }]] };
    return said.includes('again') ? { text: 'Sam asks about lunch.', until: later.until } : 'It is paid.';
  }, { mode: 'off' });
  const tab = await talk();
  await tab.say('Read the invoice');
  await tab.replied();
  const id = (await ask('GET', '/api/sessions'))[0].id;
  const shown = (await ask('GET', `/api/sessions/${id}/messages`)).at(-1).id;
  await tab.say('And again the other one');
  await tab.page.locator('.call[data-state="done"]').nth(1).waitFor();
  // What the window has shown is older than what is being read now.
  const answer = await ask('POST', `/api/sessions/${id}/trust`, { upto: shown });
  assert.equal(answer.trusted, false);
  await tab.page.locator('.trust').waitFor();
  later.go();
  await tab.replied(2);
  await tab.page.locator('.trust summary').click();
  await tab.page.getByRole('button', { name: /trust this chat again/ }).click();
  await tab.page.locator('.trust').waitFor({ state: 'detached' });
});

test('what a rule hands to the person is prepared and never sent', { skip }, async () => {
  await begin(calling(['postbox_send', LUNCH], ['huddle_post_message', { channel: 'friends', text: 'Lunch?' }]), { mode: 'off', rules: { postbox: 'hand_off', huddle: 'hand_off' } });
  const tab = await talk({ permissions: ['clipboard-read', 'clipboard-write'] });
  await tab.say(`${WISH}, and tell my friends`);
  await tab.replied();
  const [mail, post] = await card(tab, 'Ready for you').all();
  const address = await mail.getByRole('link', { name: 'Open in your email app' }).getAttribute('href');
  assert.equal(address, 'mailto:sam@example.com?subject=Lunch%20%26%20more&body=Friday%20at%201%3F%0D%0A%0D%0ABest%2C%0D%0AMaya');
  await mail.getByRole('button', { name: 'Copy' }).click();
  await mail.getByText('Copied').waitFor();
  assert.match(await tab.page.evaluate(() => navigator.clipboard.readText()), /Friday at 1\?/);
  assert.match(await post.innerText(), /friends[^]*Lunch\?/);
  assert.equal(await post.getByRole('link').count(), 0);
  assert.deepEqual(await tab.axe(), []);
  assert.deepEqual(await site.left(), []);
  await tab.page.reload();
  await tab.ready();
  assert.equal(await card(tab, 'Ready for you').count(), 2, 'it is still there later');
});

for (const [button, rules] of [['Make it a rule', { postbox_trash_email: 'never' }], ['Not now', {}]]) {
  test(`a standing wish is offered as a rule: ${button}`, { skip }, async () => {
    const mapped = JSON.stringify({ keys: ['postbox_trash_email'], rule: 'never' });
    await begin(({ said }) => (said.includes('Answer with JSON only') ? mapped : 'I keep that in mind.'));
    const [tab, other] = [await talk(), await talk()];
    await tab.say('Never throw away my emails');
    const offer = card(tab, 'Make this a rule?');
    await offer.waitFor();
    assert.match(await offer.innerText(), /Never throw away my emails[^]*never use[^]*Postbox/);
    await tab.replied();
    await openFirst(other);
    await card(other, 'Make this a rule?').waitFor();
    await tab.page.reload();
    await tab.ready();
    await offer.waitFor();
    assert.deepEqual(await tab.axe(), []);
    await offer.getByRole('button', { name: button }).click();
    for (const { page } of [tab, other]) await page.getByRole('group', { name: 'Make this a rule?' }).waitFor({ state: 'detached' });
    assert.deepEqual((await ask('GET', '/api/config')).tools.approvals.rules, rules);
    if (!rules.postbox_trash_email) return;
    await go(tab, '/settings/approvals');
    assert.match(await tab.page.locator('[data-rule="postbox_trash_email"]').innerText(), /From your message on[^]*Never throw away my emails/);
  });
}

/** The model of a chat that hands `goal` to a helper, and of the helper, which looks something up and waits. */
const withHelper = (held, background = false) => ({ said, results }) => {
  if (said.includes('Your job:')) {
    if (results.length === 0) return { text: 'I look at the notes first.', calls: [['jotter_search', { query: 'plan' }]] };
    return { text: '1. **Leaf**\n2. Pause', until: held.until };
  }
  if (results.length > 0) return 'That is what I know.';
  return { calls: [['delegate_task', { goal: 'Find two quiet cafés', background }]] };
};

test('a helper shows what it does, every step of it, and what it found', { skip }, async () => {
  const held = gate();
  await begin(withHelper(held));
  const tab = await talk();
  await tab.say('Ask a helper for quiet cafés');
  const helper = card(tab, 'Helper');
  await helper.getByText('Find two quiet cafés').waitFor();
  await helper.getByText(/working · 1 step/).waitFor();

  const open = tab.page.getByRole('button', { name: 'Helpers of this chat: 1 is working' });
  await open.focus();
  await tab.page.keyboard.press('Enter');
  const panel = tab.page.getByRole('complementary', { name: 'Helpers' });
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'helpers-title');
  const row = panel.getByRole('listitem').first();
  await row.getByText('What it did').click();
  await row.locator('[data-step="thought"]').getByText('I look at the notes first.').waitFor();
  await row.locator('[data-step="tool_call"]').getByText('Jotter search', { exact: true }).waitFor();
  await row.locator('[data-step="tool_result"]').waitFor();
  assert.deepEqual(await tab.axe(), []);
  held.go();
  await tab.replied();
  await helper.getByText(/done · 1 step/).waitFor();
  await row.getByText(/done · 1 step/).waitFor();
  await row.locator('[data-step="final_answer"]').getByText('Leaf').waitFor();
  assert.equal(await row.getByRole('button', { name: 'Stop this helper' }).count(), 0);
  await row.getByRole('button', { name: 'Show in the chat' }).click();
  await tab.page.locator('article.reply.found').waitFor();
  await tab.page.locator('#helpers-title').focus();
  await tab.page.keyboard.press('Escape');
  assert.equal(await panel.count(), 0);
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'show-helpers');
  await tab.page.reload();
  await tab.ready();
  await card(tab, 'Helper').getByText(/done · 1 step/).waitFor();
  await tab.page.getByRole('button', { name: 'Helpers of this chat' }).click();
  await panel.getByText('What it found').click();
  await panel.getByText('Pause').waitFor();
});

test('a helper is stopped in the panel, and the reply goes on', { skip }, async () => {
  await begin(withHelper(gate()));
  const tab = await talk();
  await tab.say('Ask a helper for quiet cafés');
  await card(tab, 'Helper').getByText(/working · 1 step/).waitFor();
  await tab.page.keyboard.press('Alt+h');
  const panel = tab.page.getByRole('complementary', { name: 'Helpers' });
  await panel.getByRole('button', { name: 'Stop this helper' }).click();
  await tab.replied();
  await card(tab, 'Helper').getByText(/stopped/).waitFor();
  await panel.getByText(/stopped/).waitFor();
  assert.match(await tab.lastReply.innerText(), /That is what I know/);
});

test('a helper in the background goes on after the reply and reports to the chat', { skip }, async () => {
  const held = gate();
  await begin(withHelper(held, true));
  const tab = await talk();
  await tab.say('Ask a helper for quiet cafés');
  await tab.replied();
  await card(tab, 'Helper').getByText(/working/).waitFor();
  held.go();
  await card(tab, 'Helper').getByText(/done/).waitFor();
  await tab.page.getByText(/Helper done:/).waitFor();
});

test('an engine that ends while a helper works says so afterwards', { skip }, async () => {
  await begin(withHelper(gate()));
  const tab = await talk();
  await tab.say('Ask a helper for quiet cafés');
  await card(tab, 'Helper').getByText(/working · 1 step/).waitFor();
  site.relay.refuse(true);
  site.relay.cut();
  site.model.script = () => 'I do not know what became of it.';
  await site.loseFrames();
  site.relay.refuse(false);
  await tab.ready();
  await tab.replied();
  await card(tab, 'Helper').getByText('did not finish · 1 step').waitFor();
});

test('an answer for an hour covers the next call, is listed, and is taken back', { skip }, async () => {
  await begin(calling(['jotter_write_note', { title: 'List', text: 'milk' }]));
  const tab = await talk();
  await tab.say('Write down: milk');
  await asks(tab).getByRole('button', { name: 'Allow for 1 hour' }).click();
  await tab.replied();
  await tab.say('And once more');
  await tab.replied(2);
  assert.equal(await tab.page.locator('.call[data-state="done"]').count(), 2, 'nobody was asked again');
  await go(tab, '/settings/approvals');
  await tab.page.getByRole('button', { name: /Revoke: .*Jotter/ }).click();
  await tab.page.locator('[data-grant]').waitFor({ state: 'detached' });
  await go(tab, `/chat/${(await ask('GET', '/api/sessions'))[0].id}`);
  await tab.say('And a third time');
  await asks(tab).waitFor();
  await asks(tab).getByRole('button', { name: 'Always allow' }).click();
  await tab.replied(3);
  await go(tab, '/settings/approvals');
  assert.match(await tab.page.locator('[data-rule="jotter_write_note"]').innerText(), /From your answer on/);
});

test('a model that is asked too often says so and what to do, and the message is not lost', { skip }, async () => {
  await begin(() => ({ status: 429 }));
  const tab = await talk();
  await tab.say('Hello there');
  await tab.page.waitForFunction(() => document.querySelector('article.reply [role="alert"], article.reply .problem') !== null, null, { timeout: 60_000 });
  assert.match(await tab.lastReply.getByRole('alert').innerText(), /limit|too many|often/i);
  site.model.script = () => 'Hello again.';
  await tab.say('Hello once more');
  await tab.page.getByText('Hello again.', { exact: true }).waitFor();
  assert.deepEqual(await tab.page.locator('article.user p').allInnerTexts(), ['Hello there', 'Hello once more']);
});
