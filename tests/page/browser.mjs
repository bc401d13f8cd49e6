// A browser that is watched: whatever a page asks for, says in its console or throws is kept, and every flow ends with
// the question whether it stayed at home.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { CHROMIUM, axePath, load } from './tools.mjs';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const WAIT_MAX_MS = 10_000;

export async function startBrowser() {
  return load('playwright-core').chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A fresh page with its own storage. */
export class Tab {
  static async open(browser, site, { path = `/#token=${site.token}`, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, serviceWorkers: 'block', ...options });
    // The colours asked for; the settings of an engine that has some count more.
    if (options.colorScheme) await context.addInitScript((theme) => localStorage.setItem('sentient.theme', theme), options.colorScheme);
    const page = await context.newPage();
    const tab = new Tab(context, page, site);
    await page.goto(site.origin + path);
    return tab;
  }

  constructor(context, page, site) {
    Object.assign(this, { context, page, site, requests: [], troubles: [] });
    page.setDefaultTimeout(WAIT_MAX_MS);
    context.on('page', (other) => other !== page && this.troubles.push(`opened a page: ${other.url()}`));
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('websocket', (socket) => this.requests.push(socket.url()));
    page.on('pageerror', (error) => this.troubles.push(`threw: ${error.stack}`));
    page.on('dialog', (dialog) => {
      this.troubles.push(`showed a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('console', (message) => {
      const text = message.text();
      const expected = /Failed to load resource|WebSocket connection to|net::ERR_|Service Worker registration blocked/.test(text); // cut or blocked on purpose
      if (['error', 'warning'].includes(message.type()) && !expected) this.troubles.push(`${message.type()}: ${text}`);
    });
  }

  /** Nothing was asked of anybody but the engine, and nothing went wrong on the way. */
  assertAtHome() {
    const own = new URL(this.site.origin).host;
    const local = (address) => address.startsWith('data:') || address.startsWith(`blob:${this.site.origin}/`) || new URL(address).host === own;
    assert.deepEqual(this.requests.filter((address) => !local(address)), [], 'requests that left this computer');
    assert.deepEqual(this.troubles, [], 'errors, dialogs or new pages');
  }

  async close() {
    await this.context.close();
    this.assertAtHome();
  }

  async ready() {
    await this.page.waitForFunction(() => document.body?.dataset.link === 'open');
  }

  async say(text) {
    await this.page.getByLabel('Message', { exact: true }).fill(text);
    await this.page.keyboard.press('Enter');
  }

  get replies() {
    return this.page.locator('article.reply');
  }

  get lastReply() {
    return this.replies.last();
  }

  /** Waits until the number of replies is reached and none is being written. */
  async replied(count = 1) {
    await this.page.waitForFunction((wanted) => {
      const all = [...document.querySelectorAll('article.reply')];
      return all.length >= wanted && all.every((reply) => reply.getAttribute('aria-busy') === 'false');
    }, count, { timeout: 30_000 });
  }

  /** Opens everything that is folded. */
  async unfold() {
    const closed = this.page.locator('details:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
  }

  /** Violations that axe-core calls serious or critical. Its code is handed over by the debugger, past the page's CSP. */
  async axe() {
    await this.page.evaluate(await readFile(axePath(), 'utf8'));
    const { violations } = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} (${any[0]?.message ?? ''})`).join(' | ')}`);
  }
}

/** Whether anything sticks out to the side of the window. */
export const overflow = () => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => node && node !== document.body && (['auto', 'scroll', 'hidden'].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
  const out = [...document.querySelectorAll('body *')].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.right > width + 1 && !scrolls(node.parentElement) && !node.closest('.skip');
  });
  const sideways = document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [];
  return [...sideways, ...out.map((node) => node.outerHTML.slice(0, 120))];
};
