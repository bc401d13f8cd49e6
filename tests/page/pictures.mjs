// Takes the pictures of the window that the documentation shows: each screen at two sizes and in both themes.
//
//   SENTIENT_BINARY=target/debug/sentient node tests/page/pictures.mjs [folder] [part of a name]
//
// They go to `docs/window/` unless a folder is named. The program answers with its scripted tour, so that the same
// pictures come out each time; only the clock in them moves on. What the tour does not have (SPECIAL) is taken of the mock
// engine, in a run without SENTIENT_BINARY.

import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { shrink } from './png.mjs';
import { WORDS } from './scenes.mjs';

const SHOWN = fileURLToPath(new URL('../../docs/window/', import.meta.url));
const BYTES_MAX = 4_000_000;
const SIZES = { wide: { width: 1100, height: 760 }, narrow: { width: 390, height: 760 } };
const THEMES = ['light', 'dark'];
const SETTLE_MS = 400;

const go = (tab, place) => tab.page.evaluate((hash) => (location.hash = hash), `#${place}`);
const menuAway = (tab) => tab.page.evaluate(() => document.body.classList.remove('chats-shown', 'menu-shown'));

/** What is on a screen before its picture is taken. */
const SCENES = {
  async chat(tab) {
    await tab.say(WORDS.tool);
    await tab.replied();
    await tab.say(WORDS.stream);
    await tab.replied(2);
  },
  async question(tab) {
    await tab.page.locator('#new-chat').evaluate((button) => button.click()); // also where the list is folded away
    await tab.say(WORDS.ask);
    await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
  },
  engine: (tab) => go(tab, '/engine'),
  inbox: (tab) => go(tab, '/notifications'),
  usage: (tab) => go(tab, '/usage'),
  models: (tab) => go(tab, '/settings/models'),
  approvals: (tab) => go(tab, '/settings/approvals'),
  settings: (tab) => go(tab, '/settings/chat'),
  setup: (tab) => go(tab, '/setup/2'),
};

/** A new chat in which somebody says this (scenes-chat.mjs). @param {string} text */
const said = (text) => async (tab) => {
  await go(tab, '/chat');
  await tab.page.locator('#new-chat').evaluate((button) => button.click());
  await tab.say(text);
  await Promise.race([tab.replied(), tab.page.locator('.card').first().waitFor()]);
};

const SPECIAL = {
  reply: said('Show me everything Markdown can'),
  checked: said('Ask before sending'),
  undo: said('Send the email'),
  handed: said('Hand it to me'),
  rule: said('Never delete my emails'),
  helper: said('Use a background helper'),
  async helpers(tab, site) {
    await go(tab, '/chat');
    await tab.page.locator('#new-chat').evaluate((button) => button.click());
    await tab.say('Use a helper');
    await tab.page.getByRole('button', { name: /Helpers of this chat/ }).click();
    await tab.page.locator('.helper-row summary').last().click();
    await tab.page.locator('.helper-steps li').first().waitFor();
    site.engine.finishHelper();
    await tab.replied();
  },
  async memory(tab, site) {
    await remember(tab, site, '/memory');
    await tab.page.locator('.memory summary').first().click();
    await tab.page.locator('.memory-sources').first().waitFor();
  },
  review: (tab, site) => remember(tab, site, '/memory/review'),
  about: (tab, site) => remember(tab, site, '/memory/about'),
};

async function remember(tab, site, place) {
  site.engine.memory.furnish([...site.engine.sessions.keys()][0] ?? 'chat', 'message');
  await go(tab, place);
  await tab.page.locator('.memory, .memory-page section').first().waitFor();
}

/** Something to show: a rule, a note, and the theme. */
async function furnish(site, theme) {
  const send = async (method, path, body) => {
    const answer = await fetch(site.origin + path, { method, headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const rules = { file_write: 'ask', web_search: 'allow' };
  await send('PATCH', '/api/config', { ui: { theme }, tools: { approvals: { rules } }, models: { monthly_budget_usd: 20 } });
  if (site.engine) site.engine.api.note({ title: 'The backup is done', message: 'Everything was saved to **Documents**.' });
  else await send('POST', '/api/notifications', { title: 'The backup is done', message: 'Everything was saved to **Documents**.' });
}

const folder = process.argv[2] ?? SHOWN;
const wanted = process.argv[3] ?? '';
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
try {
  for (const theme of THEMES) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const site = await startEngine({ ollama: ['qwen3:8b', 'nomic-embed-text:latest'] });
      await furnish(site, theme);
      const tab = await Tab.open(browser, site, { viewport });
      await tab.ready();
      for (const [name, scene] of Object.entries(site.engine ? SPECIAL : SCENES)) {
        const path = join(folder, `${name}-${size}-${theme}.png`);
        if (!path.includes(wanted)) continue;
        await scene(tab, site);
        await menuAway(tab);
        await tab.page.mouse.move(0, 0);
        await tab.page.waitForTimeout(SETTLE_MS);
        await tab.page.screenshot({ path });
        console.log(`${path}: ${await shrink(tab.page, path)} bytes`);
      }
      await tab.context.close();
      await site.stop();
    }
  }
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  const bytes = sizes.reduce((sum, one) => sum + one, 0);
  console.log(`${sizes.length} pictures, ${bytes} bytes`);
  if (bytes > BYTES_MAX) throw new Error(`the documentation shows at most ${BYTES_MAX} bytes of pictures`);
} finally {
  await browser.close();
}
