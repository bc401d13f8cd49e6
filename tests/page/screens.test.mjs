// The shell and the screens beside the chat, in a real browser: what a person changes is kept, shown in every window, and
// reached by keyboard, at every width and in both themes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overflow } from './browser.mjs';
import { WORDS } from './scenes.mjs';
import { ask, engine, go, mockOnly, site, visitPlace } from './stand.mjs';

/** Opens the window at a place such as `/settings/models`. */
async function visit(place = '/', { engine: started, ...options } = {}) {
  await engine(started);
  return visitPlace(place, options);
}

const api = (path) => ask('GET', path);
const next = (tab) => tab.page.getByRole('button', { name: 'Continue' }).click();

test('the first minute: later, and the tour answers at once', async () => {
  const tab = await visit('/', { engine: { fresh: true } });
  await tab.page.getByRole('heading', { name: 'Hello. Who are you?' }).waitFor();
  await tab.page.getByLabel('Your name').fill('Maya');
  await tab.page.getByLabel('What should I be called?').fill('Juno');
  assert.deepEqual(await tab.axe(), []);
  await tab.page.keyboard.press('Enter');
  await tab.page.getByRole('heading', { name: 'Which model should think?' }).waitFor();
  await tab.page.reload();
  await tab.page.getByRole('radio', { name: /^Later/ }).check();
  assert.deepEqual(await tab.axe(), []);
  await next(tab);
  await tab.page.getByRole('radio', { name: /^Concise/ }).check();
  await next(tab);
  await tab.page.getByRole('radio', { name: /^nomic-embed-text/ }).waitFor();
  assert.deepEqual(await tab.axe(), []);
  await next(tab);
  await tab.page.getByRole('button', { name: WORDS.stream }).click();
  await tab.replied();
  assert.match(await tab.lastReply.innerText(), /how a reply looks/);
  const { assistant, models } = await api('/api/bootstrap');
  assert.deepEqual([assistant.name, assistant.user_name, assistant.onboarding_complete, models.primary], ['Juno', 'Maya', true, 'scripted/tour']);
  if (site.engine) assert.equal(site.engine.api.onboarded.persona, 'concise');
  await tab.page.reload();
  await tab.ready();
  assert.equal(await tab.page.getByRole('heading', { name: 'Hello. Who are you?' }).count(), 0, 'it is asked once');
});

test('the first minute: a model on this computer is found', async () => {
  const tab = await visit('/setup/2', { engine: { fresh: true, ollama: ['qwen3:8b', 'small:1b', 'nomic-embed-text:latest'] } });
  const list = tab.page.getByRole('combobox', { name: 'Model', exact: true });
  await list.waitFor();
  assert.equal((await list.locator('option').allInnerTexts()).length, 2, 'models that only embed do not answer chats');
  await list.selectOption('ollama_chat/small:1b');
  await next(tab);
  await tab.page.getByRole('heading', { name: 'How should I be?' }).waitFor();
  assert.equal((await api('/api/bootstrap')).models.primary, 'ollama_chat/small:1b');
});

test('the first minute: a key is tried, and one that does not work is not kept', mockOnly('it would ask a provider'), async () => {
  const tab = await visit('/setup/2', { engine: { fresh: true } });
  await tab.page.getByRole('radio', { name: /^With a key/ }).check();
  const key = tab.page.getByLabel('Key', { exact: true });
  await key.fill('wrong');
  await tab.page.getByRole('button', { name: 'Test' }).click();
  await tab.page.getByText('does not accept this key').waitFor();
  assert.equal(site.engine.api.secrets.size, 0);
  assert.deepEqual(await tab.axe(), []);
  await key.fill('sk-right');
  await next(tab);
  await tab.page.getByRole('heading', { name: 'How should I be?' }).waitFor();
  const { roles } = site.engine.api.config.models;
  assert.deepEqual([roles.primary, roles.fast], ['anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4-5']);
  assert.equal(site.engine.api.secrets.get('anthropic'), 'sk-right');
  assert.ok(!(await tab.page.content()).includes('sk-right'));
});

test('every setting the engine has is shown with its description', async () => {
  const tab = await visit('/settings');
  const schema = await api('/api/config/schema');
  const { fieldsOf, sections } = await tab.page.evaluate(async (given) => {
    const { fieldsOf } = await import('/screens/settings/schema.js');
    return { fieldsOf: fieldsOf(given).map(({ key, path, description }) => ({ key, section: path[0], description })), sections: Object.keys(given.properties) };
  }, schema);
  const own = { models: 'models' };
  for (const section of sections) {
    await go(tab, `/settings/${own[section] ?? section}`);
    const wanted = fieldsOf.filter((field) => field.section === section);
    if (wanted.length) await tab.page.locator(`[data-key="${wanted[0].key}"]`).waitFor();
    const shown = await tab.page.locator('[data-key]').evaluateAll((nodes) => nodes.map(({ dataset, textContent }) => [dataset.key, textContent]));
    for (const { key, description } of wanted) {
      const text = shown.find(([name]) => name === key)?.[1];
      assert.ok(text, `${key} is not shown`);
      assert.ok(description !== '' && text.includes(description.split('`')[0].trim().slice(0, 30)), `${key} has no description`);
    }
  }
  assert.ok(fieldsOf.length >= 12, `${fieldsOf.length} settings`);
});

test('a setting is found, changed, refused where it is wrong, and the same in every window', async () => {
  const tab = await visit('/settings');
  const other = await visit('/settings/chat');
  await tab.page.getByRole('searchbox').fill('history window');
  const line = tab.page.locator('[data-key="chat.history_window"]');
  const box = line.getByRole('spinbutton');
  await box.fill('-5');
  await box.press('Enter');
  await line.locator('.wrong:not(:empty)').waitFor();
  assert.equal(await box.inputValue(), '-5', 'what was typed stays');
  assert.equal(await box.getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await tab.axe(), []);
  await box.fill('44');
  await box.press('Tab');
  await line.locator('.saved .icon').waitFor();
  assert.equal(await line.locator('.wrong').innerText(), '');
  assert.equal((await api('/api/config')).chat.history_window, 44);
  const there = other.page.locator('[data-key="chat.history_window"]');
  await other.page.waitForFunction(() => document.querySelector('[data-key="chat.history_window"] input').value === '44');
  await there.getByRole('button', { name: /usual value/ }).click();
  await tab.page.waitForFunction(() => document.querySelector('[data-key="chat.history_window"] input').value === '30');
});

test('the colours follow the settings, and are there before the first paint', async () => {
  const tab = await visit('/settings/ui');
  await tab.page.getByLabel('Theme', { exact: true }).selectOption('light');
  await tab.page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  await tab.page.getByLabel('Accent', { exact: true }).selectOption('violet');
  await tab.page.waitForFunction(() => document.documentElement.dataset.accent === 'violet');
  assert.deepEqual(await tab.axe(), []);
  await tab.page.reload({ waitUntil: 'commit' });
  await tab.page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  await tab.ready();
});

/** In the page: the contrast of each pair of colours (WCAG 2.2, 1.4.3 and 1.4.11), smallest first. */
const contrasts = (pairs) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement('i'));
  const luminance = (name) => {
    probe.style.color = `var(--${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = pairs.map(([one, other, least]) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return { pair: `${one} on ${other}`, ratio: (high + 0.05) / (low + 0.05), least };
  });
  probe.remove();
  return found.filter(({ ratio, least }) => ratio < least).map(({ pair, ratio }) => `${pair}: ${ratio.toFixed(2)}`);
};

test('each accent has enough contrast in both themes', async () => {
  const tab = await visit('/settings/approvals');
  const grounds = ['ground', 'raised', 'sunken'];
  const pairs = [
    ...['text', 'quiet', 'accent', 'good', 'warn', 'bad'].flatMap((name) => grounds.map((ground) => [name, ground, 4.5])),
    ...grounds.map((ground) => ['edge', ground, 3]), ['on-accent', 'accent', 4.5], ['warn', 'warn-ground', 4.5], ['bad', 'bad-ground', 4.5], ['text', 'mine', 4.5], ['text', 'hover', 4.5],
  ];
  for (const theme of ['dark', 'light']) {
    for (const accent of ['sentient', 'violet', 'blue', 'emerald', 'rose']) {
      await tab.page.evaluate((wanted) => Object.assign(document.documentElement.dataset, wanted), { theme, accent });
      assert.deepEqual(await tab.page.evaluate(contrasts, pairs), [], `${theme} ${accent}`);
    }
  }
  assert.deepEqual(await tab.page.evaluate(contrasts, [['line', 'ground', 21]]).then(({ length }) => length), 1, 'it would find one');
});

test('a key goes in and never comes out', mockOnly('it would change the keychain'), async () => {
  const tab = await visit('/settings/keys');
  const line = tab.page.locator('[data-name="openai"]');
  await line.getByRole('textbox').fill('sk-secret-value');
  await line.getByRole('textbox').press('Enter');
  await line.getByText('Set', { exact: true }).waitFor();
  assert.equal(site.engine.api.secrets.get('openai'), 'sk-secret-value');
  assert.ok(!(await tab.page.content()).includes('sk-secret-value'));
  assert.equal(await line.getByRole('textbox').inputValue(), '');
  await line.getByRole('button', { name: 'Remove the key of OpenAI' }).click();
  const dialog = tab.page.getByRole('dialog');
  assert.deepEqual(await tab.axe(), []);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await line.getByText('Not set').waitFor();
  assert.equal(site.engine.api.secrets.size, 0);
});

test('roles of models are chosen and tested', async () => {
  const tab = await visit('/settings/models', { engine: { ollama: ['qwen3:8b'] } });
  const line = tab.page.locator('[data-role="planner"]');
  await line.getByRole('combobox').selectOption('ollama_chat/qwen3:8b');
  await line.getByText('Saved').waitFor();
  assert.equal((await api('/api/config')).models.roles.planner, 'ollama_chat/qwen3:8b');
  await line.getByRole('combobox').selectOption('Same as the main model');
  await tab.page.waitForFunction(() => document.querySelector('[data-role="planner"] select').selectedOptions[0].textContent.startsWith('Same'));
  const main = tab.page.locator('[data-role="primary"]');
  await main.getByRole('button', { name: 'Test: Main model' }).click();
  await main.getByText(/tour answers, in/).waitFor();
});

test('what was allowed is listed and revoked, and rules say where they came from', mockOnly('the program has no grants without a question'), async () => {
  await engine();
  const inner = site.engine.api;
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  inner.grants = [{ id: 'g1', tool: 'gmail_send_email', label: 'Send email', app: 'Gmail', scope: 'timed', task_id: null, task_name: null, risk: 'send', via: 'desktop', created_at: new Date().toISOString(), expires_at: inAnHour }];
  Object.assign(inner.config.tools.approvals, { rules: { gmail: 'ask' }, rule_origins: { gmail: { rule: 'ask', said: 'never send without asking', at: '2026-11-01T10:00:00Z', source: 'chat' } } });
  const tab = await visit('/settings/approvals');
  await tab.page.getByRole('button', { name: /Revoke: Gmail/ }).click();
  await tab.page.locator('[data-grant]').waitFor({ state: 'detached' });
  assert.deepEqual(inner.grants, []);
  const rule = tab.page.locator('[data-rule="gmail"]');
  assert.match(await rule.innerText(), /From your message on Nov 1, 2026.*never send without asking/s);
  await rule.getByRole('combobox').selectOption('never');
  await tab.page.waitForFunction(() => document.querySelector('[data-rule="gmail"] select').value === 'never');
  assert.equal(inner.config.tools.approvals.rules.gmail, 'never');
  await tab.page.getByLabel('App or tool').selectOption('file_write');
  await tab.page.getByRole('button', { name: 'Add' }).click();
  await tab.page.locator('[data-rule="file_write"]').waitFor();
  await tab.page.locator('[data-rule="gmail"]').getByRole('button', { name: /Remove the rule/ }).click();
  await tab.page.locator('[data-rule="gmail"]').waitFor({ state: 'detached' });
  assert.deepEqual(inner.config.tools.approvals.rules, { file_write: 'ask' });
});

test('usage is shown, and the budget can be lifted', mockOnly('the program has spent nothing'), async () => {
  await engine();
  site.engine.api.config.models.monthly_budget_usd = 1;
  const tab = await visit('/usage');
  await tab.page.locator('[data-period="month"]').getByText('$1.25').waitFor();
  await tab.page.getByRole('button', { name: 'Keep going this month' }).click();
  await tab.page.getByRole('button', { name: 'Keep going this month' }).waitFor({ state: 'detached' });
  assert.equal(site.engine.api.kept, true);
  await tab.page.getByRole('switch', { name: 'Local only' }).check();
  await tab.page.waitForFunction(async (token) => (await (await fetch('/api/config', { headers: { Authorization: `Bearer ${token}` } })).json()).models.local_only, site.token);
});

test('the engine is shown live, and what is open stays open', async () => {
  const tab = await visit('/engine');
  const rows = await api('/api/engine/actors');
  const one = tab.page.locator(`[data-path="${rows[0].path}"]`);
  await one.locator('summary').click();
  await one.getByText(rows[0].path).waitFor();
  assert.equal(await tab.page.locator('.actor details').count(), rows.length);
  if (site.engine) {
    await tab.page.getByText('The mail server did not answer.').first().waitFor();
    const { actors } = site.engine.api;
    Object.assign(actors[0], { mailbox: 7 });
    actors.push({ ...actors[0], path: 'root/core/late', role: 'late' });
  } else {
    await go(tab, '/');
    await tab.say(WORDS.ask);
    await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
    await go(tab, '/engine');
    await tab.page.getByRole('link', { name: 'Answer' }).click();
    await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
    return;
  }
  await one.getByText('7 wait').waitFor();
  await tab.page.locator('[data-path="root/core/late"]').waitFor();
  assert.equal(await one.locator('details').getAttribute('open'), '', 'what was open is open still');
});

test('the inbox: news come in, are read and deleted in every window', async () => {
  const tab = await visit('/notifications');
  const other = await visit('/');
  await tab.page.getByText('Nothing new').waitFor();
  if (site.engine) site.engine.api.note({ title: 'Timer done', message: 'The **pasta** is ready.' });
  else await ask('POST', '/api/notifications', { title: 'Timer done', message: 'The **pasta** is ready.' });
  const note = tab.page.locator('.note').filter({ hasText: 'Timer done' });
  await note.waitFor();
  assert.equal(await note.locator('strong').innerText(), 'pasta');
  await other.page.locator('.rail .badge').getByText('1 unread').waitFor();
  assert.deepEqual(await tab.axe(), []);
  await note.getByRole('button', { name: /Mark as read/ }).click();
  await other.page.locator('.rail .badge').waitFor({ state: 'detached' });
  await note.getByRole('button', { name: /Delete/ }).click();
  await note.waitFor({ state: 'detached' });
  assert.deepEqual((await api('/api/notifications')).notifications, []);
});

test('a question of another app is answered in the inbox', mockOnly('it takes another app'), async () => {
  const tab = await visit('/notifications');
  const answers = [];
  site.engine.questions.set('q1', { answered: (answer) => answers.push(answer), frame: { type: 'approval_request', approval_id: 'q1', name: 'x' } });
  site.engine.api.note({ kind: 'approval', title: 'Another app asked', payload: { approval_id: 'q1', name: 'file_write', risk: 'write', arguments: { a: 1 } } });
  const deny = tab.page.getByRole('button', { name: 'Deny' });
  await deny.click();
  await deny.isEnabled();
  await tab.page.waitForFunction(() => !document.querySelector('.asked-here button:disabled'));
  assert.deepEqual(answers, ['deny']);
});

test('Stop everything is one click away, says so in every window, and ends by Resume', async () => {
  const tab = await visit('/');
  const other = await visit('/settings/ui');
  const has = await fetch(`${site.origin}/api/stop`, { headers: { Authorization: `Bearer ${site.token}` } });
  if (has.status === 404) {
    await tab.page.getByRole('button', { name: 'Stop everything' }).click();
    await tab.page.getByText('cannot stop everything yet').waitFor();
    return;
  }
  await tab.say(WORDS.long);
  await tab.lastReply.locator('.prose').first().waitFor();
  await other.page.keyboard.press('Control+Alt+Shift+KeyS');
  for (const { page } of [tab, other]) await page.locator('#stop-banner').waitFor();
  await tab.replied();
  assert.match(await tab.lastReply.innerText(), /Stopped/);
  assert.deepEqual(await tab.axe(), []);
  await tab.page.reload();
  await tab.ready();
  await tab.page.locator('#stop-banner').waitFor();
  await tab.page.getByRole('button', { name: 'Resume' }).click();
  for (const { page } of [tab, other]) await page.locator('#stop-banner').waitFor({ state: 'hidden' });
  assert.equal((await api('/api/stop')).stopped, false);
});

test('what the model does is said in the title bar', mockOnly('the tour is no local model'), async () => {
  const tab = await visit('/');
  site.engine.api.work({ busy: true, job: 'task', model: 'ollama_chat/qwen3:8b' });
  await tab.page.getByText('Working on a task').waitFor();
  assert.deepEqual(await tab.axe(), []);
  site.engine.api.work({ busy: false, deferred: 2, deferred_reason: 'battery' });
  await tab.page.getByText('2 background jobs wait for mains power').waitFor();
  site.engine.api.work({ deferred: 0, deferred_reason: null });
  await tab.page.locator('#busy').waitFor({ state: 'hidden' });
});

test('every screen is reached by keyboard, and says where one is', async () => {
  const tab = await visit('/');
  await tab.page.getByLabel('Message', { exact: true }).fill('half a thought');
  for (const name of ['Inbox', 'Usage', 'Engine', 'Settings']) {
    const link = tab.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: false }).first();
    await link.focus();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name }).waitFor();
    assert.match(await tab.page.title(), new RegExp(name));
    assert.equal(await link.getAttribute('aria-current'), 'page');
  }
  await tab.page.keyboard.press('Alt+1');
  assert.equal(await tab.page.getByLabel('Message', { exact: true }).inputValue(), 'half a thought', 'nothing typed is lost');
  await tab.page.goBack();
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});

test('the window speaks German when the browser does', async () => {
  const tab = await visit('/settings', { locale: 'de-DE' });
  await tab.page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
  assert.equal(await tab.page.getAttribute('html', 'lang'), 'de');
  await go(tab, '/settings/chat');
  const line = tab.page.locator('[data-key="chat.history_window"]');
  await line.getByRole('spinbutton', { name: 'Frühere Nachrichten' }).waitFor();
  assert.match(await line.innerText(), /Wie viele frühere Nachrichten ein Modell/);
  assert.equal(await line.locator('[lang="en"]').count(), 0);
  await tab.page.getByRole('searchbox').fill('erlaubte befehle');
  await tab.page.locator('[data-key="terminal.allowed_commands"]').waitFor();
  await tab.page.getByRole('searchbox').fill('wake word');
  const english = tab.page.locator('[data-key="voice.wake_word"]');
  assert.equal(await english.locator('[lang="en"]').count() > 0, true, 'what is not translated says which language it is in');
  await go(tab, '/settings/about');
  await tab.page.getByLabel('Sprache').selectOption('en');
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});

const PLACES = ['/setup/1', '/setup/2', '/setup/3', '/setup/4', '/setup/5', '/settings', '/settings/assistant', '/settings/models', '/settings/keys', '/settings/approvals',
  '/settings/about', '/settings/tools', '/settings/terminal', '/usage', '/engine', '/notifications', '/memory', '/memory/review', '/memory/about', '/memory/files'];

async function busySite() {
  await engine({ ollama: ['qwen3:8b', 'a-very-long-name-of-a-model-that-somebody-made:70b-instruct-q4_K_M'] });
  if (!site.engine) return;
  const inner = site.engine.api;
  site.engine.memory.furnish('no-chat', 'no-message');
  inner.note({ title: 'A_title_without_a_single_space_that_is_much_longer_than_the_window_is_wide', message: '`code` and **more**' });
  inner.config.models.monthly_budget_usd = 1;
  inner.config.tools.approvals.rules = { gmail: 'ask' };
  inner.usage.by_day = ['2026-11-01', '2026-11-02'].map((day, at) => ({ day, prompt_tokens: 100 * (at + 1), completion_tokens: 20, calls: 3, cost_usd: null }));
}

for (const theme of ['light', 'dark']) {
  test(`no screen is in the way of assistive tools, nor sticks out at 360 px (${theme})`, async () => {
    await busySite();
    await ask('PATCH', '/api/config', { ui: { theme } });
    const wide = await visit('/');
    const narrow = await visit('/', { viewport: { width: 360, height: 640 } });
    for (const place of PLACES) {
      for (const tab of [wide, narrow]) {
        await go(tab, place);
        await tab.page.waitForTimeout(250); // what is fetched comes in
      }
      assert.deepEqual(await wide.axe(), [], `${place}, wide`);
      assert.deepEqual(await narrow.page.evaluate(overflow), [], `${place}, narrow`);
    }
    await narrow.page.getByRole('button', { name: 'Menu' }).click();
    await narrow.page.getByRole('link', { name: 'Engine' }).waitFor();
    assert.deepEqual(await narrow.axe(), [], 'with the menu');
    await narrow.page.keyboard.press('Escape');
    assert.equal(await narrow.page.locator('.rail').isVisible(), false);
    assert.equal(await narrow.page.evaluate(() => document.activeElement.id), 'menu');
  });
}
