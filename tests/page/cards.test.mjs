// The cards of a chat, each as a person meets it: what waits to be undone, what is handed over, rules, trust, helpers,
// memories, sources, and what went wrong. The scenes are in scenes-chat.mjs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overflow } from './browser.mjs';
import { engine, site, talk } from './stand.mjs';

const skip = process.env.SENTIENT_BINARY ? 'the program has no scripted model for these cards; the mock run covers them' : false;

const heard = (type) => site.engine.heard.filter((frame) => frame.type === type);
const card = (tab, name) => tab.page.getByRole('group', { name });

test('an email waits, counts down, and is taken back', { skip }, async () => {
  const tab = await talk();
  await tab.say('Send the email');
  const waits = card(tab, /still be taken back/);
  await waits.waitFor();
  assert.match(await waits.innerText(), /To\s+sam@example\.com\s+Subject\s+Lunch & more[^]*Friday at 1\?/);
  const seconds = async () => Number(/(\d+) s/.exec(await waits.locator('.countdown').textContent())[1]);
  const first = await seconds();
  assert.ok(first > 0 && first <= 10, `${first} seconds`);
  await tab.page.waitForFunction((before) => Number.parseInt(document.querySelector('.countdown').textContent, 10) < before, first);
  assert.deepEqual(await tab.axe(), []);
  await waits.getByRole('button', { name: 'Undo' }).click();
  await tab.replied();
  await tab.page.getByText('Undone. Nothing was sent.').waitFor();
  await tab.page.locator('.call[data-state="undone"]').waitFor();
  assert.equal(await tab.page.getByText(/NOT SENT/).count(), 0, 'words for the model stay out of sight');
  assert.deepEqual(heard('undo.respond').map(({ action }) => action), ['undo']);
  await tab.page.reload();
  await tab.ready();
  await tab.page.locator('.call[data-state="undone"]').waitFor();
});

test('an email is sent at once on a press, and its check is shown', { skip }, async () => {
  const tab = await talk();
  await tab.say('Send the email');
  await card(tab, /still be taken back/).getByRole('button', { name: 'Send now' }).click();
  await tab.replied();
  const call = tab.page.locator('.call[data-state="done"]');
  assert.match(await call.innerText(), /Sent an email[^]*checked/);
  assert.equal(await tab.page.getByRole('button', { name: 'Undo' }).count(), 0);
});

test('when the time is over the email goes, in every window', { skip }, async () => {
  await engine();
  site.engine.undoSeconds = 1;
  const [first, second] = [await talk(), await talk()];
  await first.say('Send the email');
  await second.page.locator('#chat-list button[data-id]').first().click();
  await Promise.all([first, second].map((tab) => tab.replied()));
  for (const tab of [first, second]) {
    await tab.page.locator('.call[data-state="done"]').waitFor();
    assert.equal(await tab.page.locator('.undo[data-state="open"]').count(), 0);
  }
});

test('Stop within the undo window means that nothing is sent', { skip }, async () => {
  const tab = await talk();
  await tab.say('Send the email');
  await card(tab, /still be taken back/).waitFor();
  await tab.page.getByLabel('Message', { exact: true }).focus();
  await tab.page.keyboard.press('Escape');
  await tab.replied();
  await tab.page.getByText('Undone. Nothing was sent.').waitFor();
  assert.equal(heard('chat.cancel').length, 1);
});

test('an answer to an undo window that broke off with the connection still arrives', { skip }, async () => {
  const tab = await talk();
  await tab.say('Send the email');
  const waits = card(tab, /still be taken back/);
  await waits.waitFor();
  await tab.page.evaluate(() => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function lose(data) {
      if (!data.includes('undo.respond')) send.call(this, data);
    };
    globalThis.restore = () => (WebSocket.prototype.send = send);
  });
  await waits.getByRole('button', { name: 'Undo' }).click();
  await tab.page.getByText('Taking it back…').waitFor();
  await tab.page.evaluate(() => globalThis.restore());
  site.relay.cut();
  await tab.page.waitForFunction(() => document.body.dataset.link === 'closed');
  await tab.ready();
  await tab.replied();
  await tab.page.getByText('Undone. Nothing was sent.').waitFor();
});

test('a question shows the preview, where it came from, and exactly the answers offered', { skip }, async () => {
  const tab = await talk();
  await tab.say('Ask before sending');
  const asks = card(tab, /asks for your OK/);
  await asks.waitFor();
  assert.deepEqual(await asks.getByRole('button').allInnerTexts(), ['Allow once', 'Deny']);
  const text = await asks.innerText();
  for (const wanted of ['Sends', 'sam@example.com', 'Sentient read content from Web', 'That address came from Web, not from you', 'Lunch & more', 'Friday at 1?']) {
    assert.ok(text.includes(wanted), `${wanted} is missing: ${text}`);
  }
  assert.deepEqual(await tab.axe(), []);
  await asks.getByRole('button', { name: 'Deny' }).click();
  await tab.replied();
  await tab.page.getByText('You answered: Deny').waitFor();
});

test('a question answered in the other window is closed in this one', { skip }, async () => {
  const [first, second] = [await talk(), await talk()];
  await first.say('Ask before sending');
  await card(first, /asks for your OK/).waitFor();
  await second.page.locator('#chat-list button[data-id]').first().click();
  await card(second, /asks for your OK/).getByRole('button', { name: 'Allow once' }).click();
  await Promise.all([first, second].map((tab) => tab.replied()));
  for (const tab of [first, second]) {
    assert.equal(await tab.page.locator('.approval[data-state="open"]').count(), 0);
    await tab.page.locator('.call[data-state="done"]').waitFor();
  }
});

test('what is handed over can be copied, or opened in the mail program', { skip }, async () => {
  const tab = await talk({ permissions: ['clipboard-read', 'clipboard-write'] });
  await tab.say('Hand it to me');
  await tab.replied();
  const [mail, command] = await card(tab, 'Ready for you').all();
  const address = await mail.getByRole('link', { name: 'Open in your email app' }).getAttribute('href');
  assert.equal(address, 'mailto:sam@example.com?subject=Lunch%20%26%20more&body=Friday%20at%201%3F%0D%0A%0D%0ABest%2C%0D%0AMaya');
  await mail.getByRole('button', { name: 'Copy' }).click();
  await mail.getByText('Copied').waitFor();
  assert.equal(await tab.page.evaluate(() => navigator.clipboard.readText()), 'To: sam@example.com\nSubject: Lunch & more\n\nFriday at 1?\n\nBest,\nMaya');
  assert.match(await command.innerText(), /Command\s+make -j2/);
  assert.equal(await command.getByRole('link').count(), 0);
  assert.equal(await tab.page.getByText(/NOT DONE/).count(), 0, 'words for the model stay out of sight');
  assert.deepEqual(await tab.axe(), []);
});

test('a recipient can add no header and no other recipient', { skip }, async () => {
  const tab = await talk();
  const got = await tab.page.evaluate(async () => {
    const { mailto } = await import('/chat/handoff.js');
    const of = (to, rest = []) => mailto({ kind: 'email', title: '', fields: [{ label: 'To', value: to }, ...rest], body: '' });
    return [of('a@b.c?bcc=x@y.z'), of('a@b.c, d@e.f'), of('a@b.c', [{ label: 'Subject', value: 'x&body=y\r\nBcc: z' }]), mailto({ kind: 'email', title: '', fields: [], body: 'a'.repeat(5000) })];
  });
  assert.deepEqual(got, ['mailto:a@b.c%3Fbcc%3Dx@y.z', 'mailto:a@b.c,d@e.f', 'mailto:a@b.c?subject=x%26body%3Dy%0D%0ABcc%3A%20z', 'mailto:']);
});

for (const [button, want, toast] of [['Make it a rule', 'accepted', /It is a rule now/], ['Not now', 'declined', /No rule was made/]]) {
  test(`"Make this a rule?" is answered with ${button}`, { skip }, async () => {
    const [tab, other] = [await talk(), await talk()];
    await tab.say('Never delete my emails');
    const asks = card(tab, 'Make this a rule?');
    await asks.waitFor();
    assert.match(await asks.innerText(), /Never delete my emails[^]*never use[^]*Gmail > Trash/);
    await tab.replied();
    await other.page.locator('#chat-list button[data-id]').first().click();
    await card(other, 'Make this a rule?').waitFor();
    await tab.page.reload();
    await tab.ready();
    assert.deepEqual(await tab.axe(), []);
    await asks.getByRole('button', { name: button }).click();
    await tab.page.getByText(toast).waitFor();
    assert.equal([...site.engine.proposals.values()][0].status, want);
    for (const { page } of [tab, other]) await page.getByRole('group', { name: 'Make this a rule?' }).waitFor({ state: 'detached' });
  });
}

test('a chat that read outside content says so, and is trusted again up to what was shown', { skip }, async () => {
  const tab = await talk();
  await tab.say('Read my mail');
  await tab.replied();
  const mark = tab.page.locator('.trust');
  await mark.getByText('This chat read content from Gmail').click();
  site.engine.newer = 'another group member (Priya)';
  await mark.getByRole('button', { name: /trust this chat again/ }).click();
  await tab.page.getByRole('alert').filter({ hasText: 'Something newer came in meanwhile (another group member (Priya))' }).waitFor();
  site.engine.newer = undefined;
  await mark.getByText('another group member').click();
  await mark.getByRole('button', { name: /trust this chat again/ }).click();
  await mark.waitFor({ state: 'detached' });
  const [session] = site.engine.sessions.values();
  assert.equal(site.engine.trustedUpto, session.messages.findLast(({ role }) => role === 'assistant').id);
  await tab.page.reload();
  await tab.ready();
  await tab.page.locator('.item.event').getByText('You trusted this chat again.').waitFor();
});

test('a reply shows where it looked and what it had in mind', { skip }, async () => {
  const tab = await talk();
  await tab.say('Read my mail');
  await tab.replied();
  await tab.lastReply.getByText('2 sources').click();
  assert.match(await tab.lastReply.locator('.sources').innerText(), /Lunch\s+sam@example.com[^]*plan\.txt/);
  await tab.lastReply.getByText('1 memory in mind').click();
  await tab.lastReply.getByText('Maya likes lunch on Fridays').waitFor();
  await tab.lastReply.getByText('Searched your email').click();
  assert.match(await tab.lastReply.getByRole('region', { name: 'Result' }).innerText(), /Lunch\s+Sam <sam@example.com> · Friday\?/);
  assert.deepEqual(await tab.axe(), []);
});

test('what was remembered can be taken back; what waits for review says so', { skip }, async () => {
  const tab = await talk();
  await tab.say('Remember this');
  const note = tab.page.locator('.memory-note').filter({ hasText: 'Remembered: Maya prefers trains' });
  await note.getByRole('button', { name: 'Undo' }).click();
  await tab.page.getByText('Not remembered.').waitFor();
  assert.deepEqual(site.engine.forgotten, [{ id: '12', how: 'deleted' }]);
  await tab.page.getByText('Waiting for your review: Always forward mail').waitFor();
  await tab.page.getByRole('link', { name: 'Review' }).waitFor();
});

test('a helper shows what it does and what it found', { skip }, async () => {
  const tab = await talk();
  await tab.say('Use a helper');
  const helper = card(tab, 'Helper');
  await helper.getByText('Looking at a map').waitFor();
  assert.match(await helper.innerText(), /Find three quiet cafés\s+working/);
  assert.deepEqual(await tab.axe(), []);
  site.engine.finishHelper();
  await tab.replied();
  await helper.getByText('done · 4 steps').waitFor();
  await helper.getByText('What it found').click();
  assert.equal(await helper.locator('ol > li').count(), 3, 'its words are Markdown too');
  await tab.page.reload();
  await tab.ready();
  await card(tab, 'Helper').getByText('done · 4 steps').waitFor();
});

test('the panel of the helpers fits a phone, and closes back to where it was opened', { skip }, async () => {
  const tab = await talk({ viewport: { width: 360, height: 640 } });
  assert.equal(await tab.page.locator('#show-helpers').isVisible(), false, 'a chat without helpers has no button for them');
  await tab.say('Use a helper');
  const open = tab.page.getByRole('button', { name: 'Helpers of this chat: 1 is working' });
  await open.click();
  await tab.page.locator('.helper-row').getByText('Looking at a map').waitFor();
  await tab.page.locator('.helper-row').getByText('What it did').click();
  await tab.page.locator('.helper-steps li').nth(2).waitFor();
  assert.deepEqual(await tab.page.evaluate(overflow), []);
  assert.deepEqual(await tab.axe(), []);
  // News come in while a button has the focus and something is unfolded: both stay.
  const stop = tab.page.locator('.helper-row').getByRole('button', { name: 'Stop this helper' });
  await stop.focus();
  site.engine.publish({ type: 'subagent.updated', data: { ...[...site.engine.helpers.values()][0], stop: undefined, tool_calls: 3 }, ts: new Date().toISOString() });
  await tab.page.locator('.helper-row').getByText('working · 3 steps').waitFor();
  assert.equal(await stop.evaluate((node) => node === document.activeElement), true);
  assert.equal(await tab.page.locator('.helper-steps li').first().isVisible(), true);
  await tab.page.keyboard.press('Enter');
  await tab.page.locator('.helper-row').getByText('stopped').waitFor();
  assert.notEqual(await tab.page.evaluate(() => document.activeElement.tagName), 'BODY', 'the focus is not lost with the button');
  await tab.page.keyboard.press('Escape');
  assert.equal(await tab.page.evaluate(() => document.activeElement.id), 'show-helpers');
});

test('a helper is stopped', { skip }, async () => {
  const tab = await talk();
  await tab.say('Use a helper');
  await card(tab, 'Helper').getByRole('button', { name: 'Stop this helper' }).click();
  await tab.replied();
  await card(tab, 'Helper').getByText('stopped').waitFor();
});

test('a helper in the background goes on after the reply', { skip }, async () => {
  const tab = await talk();
  await tab.say('Use a background helper');
  await tab.replied();
  await card(tab, 'Helper').getByText('working').waitFor();
  site.engine.finishHelper();
  await card(tab, 'Helper').getByText('done · 2 steps').waitFor();
});

test('what went wrong says so and what to do', { skip }, async () => {
  const tab = await talk();
  await tab.say('Too many requests');
  await tab.replied(1);
  assert.match(await tab.lastReply.getByRole('alert').innerText(), /reached today's limit[^]*pick another model/);
  await tab.say('Spend too much');
  await tab.replied(2);
  await tab.lastReply.getByRole('button', { name: 'Keep going this month' }).click();
  await tab.page.getByText('The budget is lifted for this month.').waitFor();
  assert.equal(site.engine.api.kept, true);
  await tab.say('Say it did not work');
  await tab.replied(3);
  assert.match(await tab.lastReply.locator('.notice').innerText(), /Sentient said it sent the email, but Gmail reported a problem/);
});

test('letters nobody sees are written out where the person decides by what they read', { skip }, async () => {
  const tab = await talk();
  const got = await tab.page.evaluate(async () => {
    const { approvalCard } = await import('/chat/approval.js');
    const many = Array.from({ length: 60 }, (_, at) => `guest${at}@example.com`);
    const approval = { approval_id: 'a', name: 'x', state: 'open', risk: 'send', reason: '', target: 'report\u202efdp.exe', choices: ['allow', 'deny'],
      arguments: { to: many, note: 'a\u200bb', rows: [{ a: { deep: 'inside' } }] }, preview: { kind: 'email', title: 'Email', fields: [{ label: 'To', value: 'me\u2066@example.com' }], body: '\u{e0041}' } };
    return approvalCard({ approval }, () => {}).textContent;
  });
  for (const wanted of ['report[U+202E]fdp.exe', 'a[U+200B]b', 'me[U+2066]@example.com', '[U+E0041]', 'guest59@example.com', 'inside']) assert.ok(got.includes(wanted), `${wanted} is missing: ${got}`);
});

for (const colorScheme of ['light', 'dark']) test(`formulas, code in colours, tables, boxes and pictures (${colorScheme})`, { skip }, async () => {
  const tab = await talk({ colorScheme, permissions: ['clipboard-read', 'clipboard-write'] });
  await tab.say('Show me everything Markdown can');
  await tab.replied();
  const prose = tab.lastReply.locator('.prose');
  await prose.locator('math').nth(1).waitFor();
  assert.equal(await prose.locator('math[display="block"]').count(), 1);
  assert.match(await prose.innerText(), /costs \$5 or \$10/);
  await prose.locator('.hl-keyword').first().waitFor();
  assert.equal(await prose.locator('.task').count(), 2);
  assert.equal(await prose.locator('td.right').count(), 2);
  assert.ok(await prose.locator('img').evaluate((picture) => picture.decode().then(() => picture.naturalWidth > 0)), 'the picture of the engine is shown');
  await prose.getByRole('link', { name: 'Open it' }).waitFor();
  await prose.getByRole('button', { name: 'Copy the code' }).click();
  await prose.getByText('Copied').waitFor();
  assert.match(await tab.page.evaluate(() => navigator.clipboard.readText()), /^def squares\(n\):\n {4}return sum/);
  await tab.page.waitForTimeout(1600);
  await tab.lastReply.hover();
  await tab.page.getByRole('button', { name: 'Copy the reply' }).click();
  assert.match(await tab.page.evaluate(() => navigator.clipboard.readText()), /^## The plan/);
  assert.deepEqual(await tab.axe(), []);
});
