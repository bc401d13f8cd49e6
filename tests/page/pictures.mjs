// Takes the pictures of the window that the documentation shows, and more of them to look at while working on it:
//
//   SENTIENT_BINARY=target/debug/sentient node tests/page/pictures.mjs [folder for all of them]
//
// Without a folder it writes some into `docs/window/`. The program answers with its scripted tour, so that the same
// pictures come out each time; only the clock in them moves on. What the tour does not have is taken of the mock engine,
// in a run without SENTIENT_BINARY.

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { FAILING, WORDS } from './scenes.mjs';

const SHOWN = fileURLToPath(new URL('../../docs/window/', import.meta.url));
const BYTES_MAX = 200_000;

const WIDE = { viewport: { width: 1100, height: 760 } };
const NARROW = { viewport: { width: 360, height: 700 } };

async function answered(tab) {
  await tab.ready();
  await tab.say(WORDS.tool);
  await tab.replied();
  await tab.say(WORDS.stream);
  await tab.replied(2);
}

async function asked(tab) {
  await tab.ready();
  await tab.say(WORDS.tool);
  await tab.replied();
  await tab.page.locator('#new-chat').evaluate((button) => button.click()); // also where the list is folded away
  await tab.say(WORDS.ask);
  await tab.page.getByRole('group', { name: /asks for your OK/ }).waitFor();
}

async function failed(tab) {
  await tab.ready();
  await tab.say('What is on today?');
  await tab.replied();
}

async function empty(tab) {
  await tab.ready();
}

/** The scenes of scenes-chat.mjs that these words begin, one after the other. */
const said = (...texts) => async (tab) => {
  await tab.ready();
  for (const [index, text] of texts.entries()) {
    await tab.say(text);
    await Promise.race([tab.replied(index + 1), tab.page.locator('.card').first().waitFor()]);
  }
  await tab.page.waitForTimeout(400); // formulas and colours
};

const PICTURES = [
  { name: 'reply', shown: true, mock: true, colorScheme: 'light', ...WIDE, scene: said('Show me everything Markdown can') },
  { name: 'undo', shown: true, mock: true, colorScheme: 'dark', ...WIDE, scene: said('Send the email') },
  { name: 'checked', shown: true, mock: true, colorScheme: 'light', ...WIDE, scene: said('Ask before sending') },
  { name: 'handed-over', mock: true, colorScheme: 'light', ...WIDE, scene: said('Hand it to me') },
  { name: 'rule', mock: true, colorScheme: 'dark', ...WIDE, scene: said('Read my mail', 'Never delete my emails') },
  { name: 'helper', mock: true, colorScheme: 'light', ...WIDE, scene: said('Use a background helper', 'Remember this') },
  { name: 'went-wrong', mock: true, colorScheme: 'light', ...WIDE, scene: said('Too many requests', 'Say it did not work') },
  { name: 'narrow-reply', mock: true, colorScheme: 'dark', ...NARROW, scene: said('Show me everything Markdown can') },
  { name: 'light', shown: true, colorScheme: 'light', ...WIDE, scene: answered },
  { name: 'dark', shown: true, colorScheme: 'dark', ...WIDE, scene: asked },
  { name: 'empty', colorScheme: 'light', ...WIDE, scene: empty },
  { name: 'question-light', colorScheme: 'light', ...WIDE, scene: asked },
  { name: 'failed', colorScheme: 'light', ...WIDE, scene: failed, model: FAILING },
  { name: 'answered-dark', colorScheme: 'dark', ...WIDE, scene: answered },
  { name: 'narrow', colorScheme: 'light', ...NARROW, scene: answered },
  { name: 'narrow-question', colorScheme: 'dark', ...NARROW, scene: asked },
];

const folder = process.argv[2] ?? SHOWN;
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
try {
  const wanted = PICTURES.filter((picture) => (process.argv[2] || picture.shown) && !(picture.mock && process.env.SENTIENT_BINARY));
  for (const { name, shown, scene, model, mock: _, ...options } of wanted) {
    const site = await startEngine({ model });
    const tab = await Tab.open(browser, site, options);
    await scene(tab);
    await tab.page.locator('#chat-list button[aria-current]').waitFor({ state: scene === empty ? 'detached' : 'attached' });
    await tab.page.mouse.move(0, 0);
    const path = join(folder, `${name}.png`);
    await tab.page.screenshot({ path });
    const { size } = await stat(path);
    if (shown && size > BYTES_MAX) throw new Error(`${path} has ${size} bytes; the documentation shows pictures of up to ${BYTES_MAX}`);
    console.log(`${path}: ${size} bytes`);
    await tab.close();
    await site.stop();
  }
} finally {
  await browser.close();
}
