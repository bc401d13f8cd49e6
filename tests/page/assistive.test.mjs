// The window without a mouse, without sight, and without movement: the whole way by keyboard, what a screen reader is told
// and when, and a page that stands still for those who asked for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORDS } from './scenes.mjs';
import { ask, engine, real, talk, visit } from './stand.mjs';

/** What has the focus, as it is read out: its role and its name. */
const focused = (tab) => tab.page.evaluate(() => {
  const node = document.activeElement;
  // A heading that is read out as a screen opens is no control; what can be used, or was gone to, shows its frame.
  const counts = node.tabIndex >= 0 || node.matches('.card');
  const framed = (one) => getComputedStyle(one).outlineStyle !== 'none' || getComputedStyle(one).boxShadow !== 'none';
  // The message box shows it on the frame around it and its buttons.
  const box = node.closest('.box');
  const lit = node.id === 'message' && getComputedStyle(box).borderTopColor !== getComputedStyle(document.querySelector('.bar')).borderBottomColor;
  const seen = counts && node.matches(':focus-visible') ? lit || framed(node) : true;
  const label = node.getAttribute('aria-label') ?? [...(node.labels ?? [])].map(({ textContent }) => textContent).join(' ') ?? '';
  return { text: `${node.tagName.toLowerCase()} ${(label || node.textContent || node.value || '').trim().slice(0, 60)}`, seen, body: node === document.body };
});

/** Presses Tab (or another key) until what has the focus is named so; every stop on the way shows that it has it. */
async function walkTo(tab, name, key = 'Tab') {
  const passed = [];
  for (let step = 0; step < 120; step += 1) {
    const { text, seen, body } = await focused(tab);
    assert.ok(seen || body, `${text} does not show that it has the focus`);
    if (name.test(text)) return text;
    passed.push(text);
    await tab.page.keyboard.press(key);
  }
  throw new Error(`${name} is not reached by ${key}:\n${passed.join('\n')}`);
}

test('from the first minute to an answer, a question and a setting by keyboard alone', async () => {
  await engine({ fresh: true });
  const tab = await talk();
  const { keyboard } = tab.page;
  await tab.page.getByRole('heading', { name: 'Hello. Who are you?' }).waitFor();
  await walkTo(tab, /^input Your name/);
  await keyboard.type('Maya');
  await keyboard.press('Enter');
  await tab.page.getByRole('heading', { name: 'Which model should think?' }).waitFor();
  await tab.page.getByRole('radio').first().waitFor();
  await walkTo(tab, /^input (On this computer|With a key|Later)/);
  await walkTo(tab, /^input Later/, 'ArrowDown');
  await walkTo(tab, /^button Continue/);
  await keyboard.press('Enter');
  await tab.page.getByRole('heading', { name: 'How should I be?' }).waitFor();
  await walkTo(tab, /^button Continue/);
  await keyboard.press('Space');
  await tab.page.getByRole('heading', { name: 'How should memories be found?' }).waitFor();
  await tab.page.getByRole('radio').first().waitFor();
  await walkTo(tab, /^button Continue/);
  await keyboard.press('Enter');
  await tab.page.getByRole('heading', { name: 'Try something' }).waitFor();
  await walkTo(tab, new RegExp(`^button ${WORDS.stream}`));
  await keyboard.press('Enter');
  await tab.replied();

  await walkTo(tab, /^textarea Message/);
  await keyboard.type(WORDS.ask);
  await keyboard.press('Enter');
  await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
  await keyboard.press('Alt+o');
  assert.match((await focused(tab)).text, /asks for your OK/);
  await walkTo(tab, /^button Allow once/);
  await keyboard.press('Enter');
  await tab.replied(2);
  await tab.page.locator('.call[data-state="done"]').waitFor();
  assert.match((await focused(tab)).text, /^textarea Message/, 'the focus is where the next thing is written');

  await keyboard.press('Control+,');
  await tab.page.getByRole('searchbox').waitFor();
  await walkTo(tab, /^input Search settings/);
  await keyboard.type('history window');
  const line = tab.page.locator('[data-key="chat.history_window"]');
  await line.waitFor();
  await walkTo(tab, /^input History window/);
  await keyboard.press('Control+a');
  await keyboard.type('44');
  await keyboard.press('Enter');
  await line.locator('.saved .icon').waitFor();
  assert.equal((await ask('GET', '/api/config')).chat.history_window, 44);
  await keyboard.press('Alt+1');
  await tab.page.waitForFunction(() => document.activeElement.id === 'message');
  await walkTo(tab, /^button (Rename|Delete|.*[Nn]ew chat)/, 'Shift+Tab');
});

/** Keeps what is said by every live region, with how it is said. */
const listen = () => {
  globalThis.said = [];
  const hear = (node) => {
    const region = (node instanceof Element ? node : node.parentElement)?.closest('[role="status"], [role="alert"], [role="log"], [aria-live]');
    if (!region || region.closest('[hidden]')) return;
    const how = region.getAttribute('aria-live') ?? { alert: 'assertive', status: 'polite', log: 'polite' }[region.getAttribute('role')];
    if (how === 'off' || !region.textContent.trim()) return;
    globalThis.said.push({ how, text: region.textContent.trim().replace(/\s+/g, ' '), id: region.id || region.className });
  };
  new MutationObserver((changes) => {
    for (const region of new Set(changes.map(({ target }) => (target instanceof Element ? target : target.parentElement)?.closest('[role], [aria-live]')).filter(Boolean))) hear(region);
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
};

test('a screen reader hears that a reply begins, what is asked and how it ended: once, and without being interrupted', async () => {
  const tab = await talk();
  await tab.page.evaluate(listen);
  await tab.say(WORDS.stream);
  await tab.replied();
  await tab.page.waitForFunction(() => globalThis.said.some(({ text }) => text.startsWith('The reply is complete')));
  const first = (await tab.page.evaluate(() => globalThis.said)).filter(({ id }) => id !== 'context-warning');
  assert.deepEqual(first.map(({ how }) => how).filter((how) => how !== 'polite'), [], 'nothing interrupts');
  assert.equal(first.filter(({ text }) => text === 'Sentient is replying').length, 1);
  assert.equal(first.filter(({ text }) => text.startsWith('The reply is complete')).length, 1);
  assert.equal(first.length, 2, `words of the reply are not read out piece by piece: ${JSON.stringify(first)}`);
  assert.match(first[1].text, /how a reply looks/);

  await tab.page.evaluate(() => (globalThis.said = []));
  await tab.say(WORDS.ask);
  await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
  await tab.page.waitForFunction(() => globalThis.said.some(({ text }) => text.includes('asks for your OK')));
  const asked = (await tab.page.evaluate(() => globalThis.said)).find(({ text }) => text.includes('asks for your OK'));
  assert.equal(asked.how, 'polite');
  assert.match(asked.text, /Sentient asks for your OK\. .*Alt\+O goes there/);
  await tab.page.getByRole('button', { name: 'Deny' }).click();
  await tab.replied(2);
});

test('the page has its parts, and each control its role, name and state', async () => {
  const tab = await talk();
  await tab.say(WORDS.tool);
  await tab.replied();
  await tab.say(WORDS.ask);
  const card = tab.page.getByRole('group', { name: 'File write asks for your OK' });
  await card.waitFor();
  for (const [role, name] of [['navigation', 'Screens'], ['navigation', 'Chats'], ['main', undefined], ['log', 'Conversation'], ['heading', undefined], ['textbox', 'Message'],
    ['button', 'Attach'], ['button', 'Incognito chat'], ['button', 'Stop everything'], ['link', 'Settings']]) {
    const found = tab.page.getByRole(role, name ? { name } : undefined);
    assert.ok((await found.count()) >= 1 || name === 'Incognito chat', `${role} ${name ?? ''}`);
  }
  assert.equal(await tab.page.getByRole('main').count(), 1);
  assert.equal(await tab.page.getByRole('heading', { level: 1 }).count(), 1);
  assert.equal(await tab.page.getByRole('log').getAttribute('aria-live'), 'off', 'what streams is not read out');
  const articles = await tab.page.getByRole('article').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
  assert.deepEqual(articles, ['You', 'Sentient', 'You', 'Sentient'], 'each message says whose it is');
  assert.equal(await tab.lastReply.getAttribute('aria-busy'), 'true', 'a reply that is not complete says so');

  // What the browser tells assistive tools of the question, in their order: what, to what, the answers.
  const tree = await card.ariaSnapshot();
  const order = ['Changes something', 'Exactly what it would do', 'Allow once', 'Deny'].map((words) => tree.indexOf(words));
  assert.ok(order.every((at, index) => at >= 0 && (index === 0 || at > order[index - 1])), tree);
  const stops = [];
  await tab.page.keyboard.press('Alt+o');
  for (let step = 0; step < 12; step += 1) {
    await tab.page.keyboard.press('Tab');
    const inside = await card.evaluate((node) => node.contains(document.activeElement));
    if (!inside) break;
    stops.push((await focused(tab)).text);
  }
  const buttons = stops.filter((text) => text.startsWith('button'));
  assert.ok(buttons[0].includes('Allow once') && buttons.at(-1).includes('Deny'), stops.join(', '));
  assert.ok(!stops[0].startsWith('button'), `what would be done comes before the answers: ${stops.join(', ')}`);
  await card.getByRole('button', { name: 'Deny' }).click();
  await tab.replied(2);
});

test('nothing moves for those who asked for less motion', async () => {
  const moving = async (options) => {
    const tab = await visit(options);
    await tab.ready();
    await tab.page.evaluate(() => {
      globalThis.moved = new Set();
      const look = () => {
        for (const animation of document.getAnimations()) {
          const { duration } = animation.effect.getComputedTiming();
          if (duration > 0) globalThis.moved.add(`${animation.animationName ?? animation.transitionProperty} of ${animation.effect.target.className?.baseVal ?? animation.effect.target.className}`);
        }
        requestAnimationFrame(look);
      };
      look();
    });
    await tab.say(WORDS.tool);
    await tab.replied();
    await tab.say('Count 60');
    await tab.page.getByRole('button', { name: 'Stop', exact: true }).hover();
    await tab.replied(2);
    await tab.page.evaluate(() => (location.hash = '#/settings/chat'));
    await tab.page.getByRole('switch').first().click();
    await tab.page.evaluate(() => (location.hash = '#/engine'));
    await tab.page.waitForTimeout(300);
    assert.equal(await tab.page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior), 'auto');
    return [...(await tab.page.evaluate(() => [...globalThis.moved]))];
  };
  assert.deepEqual(await moving({ reducedMotion: 'reduce' }), []);
  assert.ok((await moving({ reducedMotion: 'no-preference' })).length > 0, 'it would notice');
});

test('the window can be read at 400 % and with the letters twice as large', async () => {
  const tab = await talk({ viewport: { width: 320, height: 400 } });
  await tab.page.evaluate(() => (document.documentElement.style.fontSize = '200%')); // by the test, not by the page
  await tab.say(WORDS.ask);
  const card = tab.page.getByRole('group', { name: /asks for your OK/ });
  await card.waitFor();
  const deny = card.getByRole('button', { name: 'Deny' });
  await deny.scrollIntoViewIfNeeded();
  const box = await deny.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 320, JSON.stringify(box));
  await deny.click();
  await tab.replied();
  assert.ok(real || tab.site.engine.heard.some(({ decision }) => decision === 'deny'));
});
