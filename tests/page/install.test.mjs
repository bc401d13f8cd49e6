// The window as an app: it opens while the engine is down, keeps nothing but its own files, comes back by itself, and is
// small and quick.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { graph } from './preload.mjs';
import { WORDS } from './scenes.mjs';
import { real, site, visit } from './stand.mjs';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const CODE_BYTES_MAX = 200_000;
const FIRST_PAINT_MS_MAX = 300;
const LOADS = 8;

const files = readdirSync(WEB, { recursive: true }).filter((name) => statSync(join(WEB, name)).isFile());

test('the window\'s own code is small', () => {
  const own = files.filter((name) => /\.(js|css|html)$/.test(name) && !name.startsWith('vendor'));
  const bytes = own.reduce((sum, name) => sum + gzipSync(readFileSync(join(WEB, name))).length, 0);
  console.log(`own code: ${bytes} bytes compressed in ${own.length} files`);
  assert.ok(bytes < CODE_BYTES_MAX, `${bytes} bytes`);
});

test('what the first page needs is asked for at once, and nothing more', async () => {
  const wanted = (await graph()).map((name) => `/${name}`).sort();
  const asked = [...readFileSync(join(WEB, 'index.html'), 'utf8').matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, href]) => href).sort();
  assert.deepEqual(asked, wanted, 'run `node tests/page/preload.mjs`');
});

test('the first paint is quick', async () => {
  const tab = await visit();
  await tab.page.waitForFunction(() => document.body.dataset.link === 'open');
  const paints = [];
  for (let load = 0; load < LOADS; load += 1) {
    await tab.page.reload();
    paints.push(await tab.page.waitForFunction(() => performance.getEntriesByName('first-paint')[0]?.startTime).then((value) => value.jsonValue()));
  }
  console.log(`first paint: ${paints.map(Math.round).join(', ')} ms`);
  // The machine may be busy with something else; the quickest of a few loads is what the window needs.
  assert.ok(Math.min(...paints) < FIRST_PAINT_MS_MAX, paints.join(', '));
});

test('the manifest names icons that are there and as large as it says', async () => {
  const tab = await visit();
  const { icons, start_url: start } = JSON.parse(readFileSync(join(WEB, 'manifest.webmanifest'), 'utf8'));
  assert.equal(start, '/', 'no token in it');
  for (const { src, sizes } of icons) {
    const size = await tab.page.evaluate(async (address) => {
      const picture = new Image();
      picture.src = address;
      await picture.decode();
      return `${picture.naturalWidth}x${picture.naturalHeight}`;
    }, src);
    if (sizes !== 'any') assert.equal(size, sizes, src);
  }
});

test('the window opens while the engine is down, keeps only its own files, and fills when it is back', async () => {
  const tab = await visit({ serviceWorkers: 'allow' });
  await tab.ready();
  await tab.say(WORDS.tool);
  await tab.replied();
  await tab.page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await tab.page.reload(); // from now on the worker stands in between
  await tab.ready();
  await tab.replied();
  const kept = await tab.page.evaluate(async () => {
    const all = [];
    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) all.push(url.slice(location.origin.length));
    return all;
  });
  for (const wanted of ['/index.html', '/shell/app.js', '/chat/screen.js']) assert.ok(kept.includes(wanted), `${wanted} is not among ${kept.length}: ${kept.join(' ')}`);
  assert.deepEqual(kept.filter((address) => /token|^\/(api|ws|v1|hooks)/.test(address)), []);
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.reload();
  await tab.page.getByText('No connection to the engine').waitFor();
  await tab.page.getByLabel('Message', { exact: true }).fill('written while it was down');
  site.relay.refuse(false);
  await tab.ready();
  await tab.replied();
  assert.equal(await tab.page.getByLabel('Message', { exact: true }).inputValue(), 'written while it was down');
});

test('a restart of the engine under an open window loses nothing typed', async () => {
  const tab = await visit({ path: undefined });
  await tab.ready();
  await tab.page.evaluate(() => (location.hash = '#/settings/assistant'));
  const name = tab.page.locator('[data-key="assistant.user_name"]').getByRole('textbox');
  await name.fill('half a na');
  site.relay.refuse(true);
  site.relay.cut();
  await tab.page.getByText('No connection to the engine').waitFor();
  await site.loseFrames(); // the program is killed and started again
  site.relay.refuse(false);
  await tab.ready();
  assert.equal(await name.inputValue(), 'half a na');
  await name.press('Enter');
  await tab.page.locator('[data-key="assistant.user_name"] .saved .icon').waitFor();
  await tab.page.evaluate(() => (location.hash = '#/engine'));
  await tab.page.locator('.actor').first().waitFor();
});

test('a newer engine offers to load its own window', { skip: real ? 'it has one version; the mock run covers it' : false }, async () => {
  const tab = await visit();
  await tab.ready();
  site.engine.version = '0.2.0';
  site.relay.cut();
  await tab.page.getByText('The engine is now version 0.2.0').waitFor();
  await tab.page.getByRole('button', { name: 'Load anew' }).click();
  await tab.ready();
});

test('the token is kept for the browser only when the person says so', async () => {
  const tab = await visit({ path: '/' });
  await tab.page.getByLabel('Token').fill(site.token);
  await tab.page.getByRole('button', { name: 'Open' }).click();
  await tab.ready();
  assert.equal(await tab.page.evaluate(() => localStorage.getItem('sentient.token')), null);
  await tab.page.evaluate(() => sessionStorage.clear());
  await tab.page.reload();
  await tab.page.getByLabel('Token').fill(site.token);
  await tab.page.getByLabel('Keep it in this browser').check();
  await tab.page.getByRole('button', { name: 'Open' }).click();
  await tab.ready();
  const second = await tab.context.newPage();
  await second.goto(`${site.origin}/`);
  await second.waitForFunction(() => document.body.dataset.link === 'open');
  await second.close();
  tab.troubles = tab.troubles.filter((trouble) => !trouble.startsWith('opened a page'));
});
