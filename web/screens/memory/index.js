// What Sentient remembers (contract section 7): the memories, those that wait for the person's review, and the way out and
// in. One page each, named by the address: `#/memory`, `#/memory/review`, `#/memory/files`.
//
// Nothing is decided here: what is a duplicate, what waits and what goes with a deleted memory is the engine's affair.

import { nothing } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { hashOf } from '../../shell/router.js';
import { t } from '../../text/index.js';
import { aboutPage } from './about.js';
import { filesPage } from './files.js';
import { listPage } from './list.js';
import { reviewPage } from './review.js';

/** News come in rows, as when a chat taught three things: they are fetched once. */
const AFTER_MS = 200;
/** @type {Record<string, (memory: Memory, place: HTMLElement, signal: AbortSignal) => Promise<void>>} */
const PAGES = { list: listPage, review: reviewPage, about: aboutPage, files: filesPage };

/** @param {import('../../shell/app.js').Visit} visit */
export async function enter({ app, stage, place, signal }) {
  const memory = new Memory(app, stage, signal);
  await memory.show(place);
  return { moved: (to) => memory.show(to) };
}

export class Memory {
  /**
   * @param {import('../../shell/app.js').App} app
   * @param {HTMLElement} stage
   * @param {AbortSignal} signal
   */
  constructor(app, stage, signal) {
    this.app = app;
    this.api = app.api;
    this.stage = stage;
    /** What fetches the shown page anew. @type {Set<() => void>} */
    this.anew = new Set();
    this.waiting = element('span', { class: 'pill accent', hidden: true });
    this.nav = element('nav', { class: 'memory-nav', 'aria-label': t('screen.memory') }, ...Object.keys(PAGES).map((name) => element(
      'a', { href: name === 'list' ? hashOf('memory') : hashOf('memory', name), 'data-page': name },
      t(/** @type {any} */ (`memory.page.${name}`)), name === 'review' ? this.waiting : null)));
    this.page = element('div', { class: 'memory-page' });
    stage.replaceChildren(this.nav, this.page);
    for (const change of ['memory.updated', 'memory.forgotten', 'user_model.updated', 'resync']) app.on(change, () => this.news(), signal);
    this.countWaiting();
  }

  news() {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const fetch of [...this.anew]) fetch();
      this.countWaiting();
    }, AFTER_MS);
  }

  async countWaiting() {
    const review = await this.api.get('/api/memories/review').catch(() => null); // an engine without it has no badge
    this.badge(review?.count ?? 0);
  }

  /** @param {number} count */
  badge(count) {
    this.waiting.hidden = count === 0;
    this.waiting.textContent = String(count);
  }

  /** @param {import('../../shell/router.js').Place} place */
  async show({ rest: [name = 'list'] }) {
    this.life?.abort();
    this.life = new AbortController();
    this.anew.clear();
    const page = Object.hasOwn(PAGES, name) ? name : 'list';
    for (const link of this.nav.querySelectorAll('a')) {
      if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    const title = page === 'list' ? t('screen.memory') : t(/** @type {any} */ (`memory.page.${page}`));
    this.app.frame.title(title);
    const place = element('div', {});
    this.page.replaceChildren(place);
    const { signal } = this.life;
    try {
      await PAGES[page](this, place, signal);
    } catch (error) {
      if (signal.aborted) return;
      const missing = error.status === 404 || error.status === 405;
      place.replaceChildren(nothing('brain', missing ? t('memory.missing') : error.message));
    }
  }

  /** Runs what the person asked for; what went wrong is said. @template T @param {() => Promise<T>} job @returns {Promise<T | null>} */
  async tried(job) {
    try {
      return await job();
    } catch (error) {
      this.app.toasts.problem(error);
      return null;
    }
  }
}
