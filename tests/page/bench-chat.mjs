// Measures what a person feels in a chat, in a real browser: frames while ten thousand tokens stream in, the opening of a
// chat of five thousand messages, and frames while it is scrolled. It asserts nothing: a shared machine has other work.
//
//   node tests/page/bench-chat.mjs

import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { RICH } from './scenes-chat.mjs';

const MESSAGES = 5_000;
const TOKENS = 10_000;

/** A chat of many messages, as the engine stores them. */
export function longChat(engine, count = MESSAGES) {
  const session = engine.session('long', 'A long chat');
  for (let at = 0; at < count; at += 1) {
    const mine = at % 2 === 0;
    engine.store(session, { role: mine ? 'user' : 'assistant', content: mine ? `Question ${at}: what is it about?` : at % 20 === 1 ? RICH.replaceAll(/!\[.*\n/g, '') : `Answer ${at}. ${'Some **words** with `code`. '.repeat(1 + (at % 9))}` });
  }
  return session;
}

/** Records the time between frames, and how long scripts and layout held each up. */
const record = () => {
  globalThis.frames = [];
  globalThis.held = [];
  let last = performance.now();
  const channel = new MessageChannel();
  let began = 0;
  channel.port1.onmessage = () => globalThis.held.push(performance.now() - began);
  const frame = (now) => {
    globalThis.frames.push(now - last);
    last = now;
    began = performance.now();
    channel.port2.postMessage(0); // runs when the frame's own work is done
    if (globalThis.recording) requestAnimationFrame(frame);
  };
  globalThis.recording = true;
  requestAnimationFrame(frame);
};

const stop = () => {
  globalThis.recording = false;
  const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))]?.toFixed(1);
  const { frames, held } = globalThis;
  return `${frames.length} frames, held up p50 ${at(held, 0.5)} p95 ${at(held, 0.95)} p99 ${at(held, 0.99)} ms; between frames p50 ${at(frames, 0.5)} p95 ${at(frames, 0.95)} ms`;
};

async function streaming(browser) {
  const site = await startEngine();
  const tab = await Tab.open(browser, site);
  await tab.ready();
  await tab.page.evaluate(record);
  await tab.say(`Stream ${TOKENS} tokens`);
  await tab.page.waitForFunction(() => document.querySelector('article.reply')?.getAttribute('aria-busy') === 'false', null, { timeout: 120_000 });
  console.log(`${TOKENS} tokens streamed: ${await tab.page.evaluate(stop)}`);
  await tab.close();
  await site.stop();
}

async function scrolling(browser) {
  const site = await startEngine();
  longChat(site.engine);
  const tab = await Tab.open(browser, site);
  await tab.ready();
  const opened = await tab.page.evaluate(async () => {
    const began = performance.now();
    document.querySelector('#chat-list button[data-id]').click();
    while (!document.querySelector('article.reply .prose')) await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - began;
  });
  console.log(`${MESSAGES} messages: the newest are on the screen after ${opened.toFixed(0)} ms`);
  await tab.page.waitForFunction((count) => document.querySelectorAll('.sheet').length === count, MESSAGES / 20, { timeout: 60_000 });
  await tab.page.evaluate(record);
  await tab.page.evaluate(async () => {
    const log = document.getElementById('log');
    for (let step = 0; step < 240; step += 1) {
      log.scrollTop -= 900;
      await new Promise((done) => requestAnimationFrame(done));
    }
  });
  console.log(`scrolled through ${240 * 900} px: ${await tab.page.evaluate(stop)}`);
  await tab.close();
  await site.stop();
}

if (process.argv[1]?.endsWith('bench-chat.mjs')) {
  const browser = await startBrowser();
  await streaming(browser);
  await scrolling(browser);
  await browser.close();
}
