// What every file of page tests needs around its tests: one browser, an engine for each test, and windows that are closed
// and looked at when it ends. The test runner gives each file a process of its own, so the state here is of one file.

import { after, afterEach, before } from 'node:test';
import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';

/** Whether the tests run against the program and not against the mock. */
export const real = Boolean(process.env.SENTIENT_BINARY);

/** A test that needs the inside of the mock is a visible skip with the program. @param {string} why */
export const mockOnly = (why) => ({ skip: real ? `${why}; the mock run covers it` : false });

/** The browser of this file. @type {any} */
export let browser = null;
/** The engine of the test that runs, once it was started. @type {any} */
export let site = null;
/** @type {Tab[]} */
let tabs = [];

before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());
afterEach(async () => {
  const [open, started] = [tabs, site];
  tabs = [];
  site = null;
  try {
    for (const tab of open) await tab.close();
  } finally {
    await started?.stop();
  }
});

/** Starts the engine of this test, when it is not yet. A window starts one by itself. @param {any} [options] */
export async function engine(options) {
  site ??= await startEngine(options);
  return site;
}

/** Opens a window of its own: a browser that knows nothing of the others. @param {any} [options] */
export async function visit(options) {
  await engine();
  const tab = await Tab.open(browser, site, options);
  tabs.push(tab);
  return tab;
}

/** The same, once it is connected. @param {any} [options] */
export async function talk(options) {
  const tab = await visit(options);
  await tab.ready();
  return tab;
}

/** The same, at a screen such as `/settings/models`. @param {string} place @param {any} [options] */
export async function visitPlace(place, options) {
  await engine();
  return talk({ path: `/?token=${site.token}#${place}`, ...options });
}

/** Moves a window to a screen. @param {Tab} tab @param {string} place */
export const go = (tab, place) => tab.page.evaluate((hash) => (location.hash = hash), `#${place}`);

/** Asks the engine itself, past the window. Fails when it does. @param {string} method @param {string} path @param {any} [body] */
export async function ask(method, path, body) {
  const headers = { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(site.origin + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const value = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(value)}`);
  return value;
}
