// Measures what a person feels in a chat, in a real browser: frames while ten thousand tokens stream in, the opening of a
// chat of five thousand messages, and frames while it is scrolled. It asserts nothing: a shared machine has other work.
//
//   node tests/page/bench-chat.mjs

import { Tab, startBrowser } from './browser.mjs';
import { startEngine } from './engine.mjs';
import { RICH } from './scenes-chat.mjs';

const MESSAGES = 5_000;
const TOKENS = 10_000;
/** At 60 frames a second these are 480 and 2,400 tokens a second: a quick model, and more than any. */
const PER_FRAME = [8, 40];
/** What a frame may take at 60 a second. */
const FRAME_MS = 16;
const STEPS = 600;
/** One piece of work of a thread, whatever is in it; other events by such a name lie inside of it. */
const TASK = 'RunTask';
const STEP_PX = 400;

/** A chat of many messages, as the engine stores them. */
export function longChat(engine, count = MESSAGES) {
  const session = engine.session('long', 'A long chat');
  for (let at = 0; at < count; at += 1) {
    const mine = at % 2 === 0;
    engine.store(session, { role: mine ? 'user' : 'assistant', content: mine ? `Question ${at}: what is it about?` : at % 20 === 1 ? RICH.replaceAll(/!\[.*\n/g, '') : `Answer ${at}. ${'Some **words** with `code`. '.repeat(1 + (at % 9))}` });
  }
  return session;
}

/** A share of a list of numbers, such as 0.95 of the way up. */
const at = (list, share) => [...list].sort((one, other) => one - other)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;

/**
 * What the page's own thread did for each frame while `job` ran: all of it, scripts, style, layout and paint, between one
 * animation frame and the next. Processor time is of that thread alone, so a busy computer does not count; the time that
 * passed does count it.
 */
async function traced(browser, page, job) {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  const began = performance.now();
  await job();
  const took = performance.now() - began;
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const frames = traceEvents.filter(({ name }) => name === 'FireAnimationFrame');
  const key = ({ pid, tid }) => `${pid}/${tid}`;
  const counts = new Map();
  for (const event of frames) counts.set(key(event), (counts.get(key(event)) ?? 0) + 1);
  const [main] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  const tasks = traceEvents.filter((event) => event.ph === 'X' && event.name === TASK && key(event) === main).sort((one, other) => one.ts - other.ts);
  // All callbacks of one frame run in one task; that is where a frame begins.
  const begins = frames.filter((event) => key(event) === main).map(({ ts }) => tasks.findLast((task) => task.ts <= ts && ts <= task.ts + task.dur)?.ts ?? ts);
  const starts = [...new Set(begins)].sort((one, other) => one - other);
  /** @type {number[]} */
  const cpu = [];
  const wall = [];
  let index = 0;
  for (let frame = 0; frame + 1 < starts.length; frame += 1) {
    let [used, passed] = [0, 0];
    while (index < tasks.length && tasks[index].ts < starts[frame]) index += 1;
    for (; index < tasks.length && tasks[index].ts < starts[frame + 1]; index += 1) {
      used += (tasks[index].tdur ?? 0) / 1000;
      passed += tasks[index].dur / 1000;
    }
    cpu.push(used);
    wall.push(passed);
  }
  const heavy = cpu.filter((ms) => ms > FRAME_MS).length;
  const own = traceEvents.filter((event) => event.ph === 'X' && key(event) === main);
  const slow = starts.slice(0, -1).map((ts, frame) => [ts, starts[frame + 1], cpu[frame]]).filter(([, , used]) => used > FRAME_MS);
  const inSlow = own.filter(({ ts }) => slow.some(([from, to]) => ts >= from && ts < to));
  return { frames: cpu.length, cpu, wall, heavy, took, apart: starts.slice(1).map((ts, at) => (ts - starts[at]) / 1000), events: costs(own), slow: costs(inSlow) };
}

/** Where the processor time went, by what the browser calls it. */
function costs(events) {
  const NAMES = ['FunctionCall', 'UpdateLayoutTree', 'Layout', 'PrePaint', 'Paint', 'Layerize', 'MinorGC', 'MajorGC', 'HitTest', 'ParseHTML', 'IntersectionObserverController::computeIntersections'];
  return NAMES.map((name) => [name, events.filter((event) => event.name === name).reduce((sum, { tdur }) => sum + (tdur ?? 0) / 1000, 0)])
    .filter(([, ms]) => ms > 1).sort(([, one], [, other]) => other - one);
}

function tell(what, { frames, cpu, wall, heavy, took, apart, events, slow }) {
  const of = (list) => [0.5, 0.95, 0.99].map((share) => at(list, share).toFixed(1)).join(' / ');
  console.log(`${what}: ${frames} frames in ${(took / 1000).toFixed(1)} s; p50 / p95 / p99 in ms: processor ${of(cpu)}, passed ${of(wall)}, apart ${of(apart)}; ${heavy} over 16 ms of processor`);
  const kinds = (list) => list.map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(', ');
  console.log(`  processor by kind, ms: ${kinds(events)}; in the slow frames: ${kinds(slow)}`);
}

async function streaming(browser, perFrame) {
  const site = await startEngine();
  site.engine.byFrames = perFrame;
  const tab = await Tab.open(browser, site);
  await tab.ready();
  tell(`${TOKENS} tokens streamed, ${perFrame} with a frame`, await traced(browser, tab.page, async () => {
    // Each frame brings as much as the one before, however quick the computer is.
    await tab.page.evaluate(() => {
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function sent(data) {
        WebSocket.prototype.send = send;
        const beat = () => {
          if (this.readyState !== WebSocket.OPEN) return;
          send.call(this, '{"type":"ping"}');
          requestAnimationFrame(beat);
        };
        requestAnimationFrame(beat);
        return send.call(this, data);
      };
    });
    await tab.say(`Stream ${TOKENS} tokens`);
    await tab.page.waitForFunction(() => document.querySelector('article.reply')?.getAttribute('aria-busy') === 'false', null, { timeout: 120_000, polling: 500 });
  }));
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
  await tab.page.waitForFunction((count) => document.querySelectorAll('.book > .sheet').length === count, MESSAGES / 8, { timeout: 60_000 });
  // As with a wheel: a step for each frame, through parts that were never on the screen.
  tell(`${MESSAGES} messages scrolled through ${STEPS * STEP_PX} px`, await traced(browser, tab.page, () => tab.page.evaluate(async ([steps, px]) => {
    const log = document.getElementById('log');
    for (let step = 0; step < steps; step += 1) {
      log.scrollTop -= px;
      await new Promise((done) => requestAnimationFrame(done));
    }
  }, [STEPS, STEP_PX])));
  await tab.close();
  await site.stop();
}

if (process.argv[1]?.endsWith('bench-chat.mjs')) {
  const browser = await startBrowser();
  for (const perFrame of PER_FRAME) await streaming(browser, perFrame);
  await scrolling(browser);
  await browser.close();
}
