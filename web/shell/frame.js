// The frame around the screens: the rail, the title bar, and which screen stands on the stage. A screen that was left is
// taken down, unless it stays.

import { SCREENS } from '../screens/registry.js';
import { t } from '../text/index.js';
import { $, element } from './dom.js';
import { icon } from './icons.js';
import { bind } from './keys.js';
import { hashOf } from './router.js';
import { stopControls } from './stop.js';

/**
 * @typedef {object} Standing a screen that is on the stage or waits behind it
 * @property {HTMLElement} stage
 * @property {HTMLElement} heading
 * @property {AbortController} life
 * @property {import('./app.js').Opened} opened
 */

export class Frame {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.name = '';
    /** @type {Map<string, Standing>} */
    this.standing = new Map();
    this.#draw();
  }

  #draw() {
    $('skip').textContent = t('shell.skip');
    $('skip').addEventListener('click', (event) => {
      event.preventDefault(); // the address names the screen
      (this.stage?.querySelector('main') ?? this.stage)?.focus();
    });
    $('menu').append(icon('menu'));
    $('menu').setAttribute('aria-label', t('shell.menu'));
    $('menu').addEventListener('click', () => this.openMenu(!document.body.classList.contains('menu-shown')));
    $('rail').setAttribute('aria-label', t('shell.screens'));
    $('rail').addEventListener('keydown', (event) => event.key === 'Escape' && this.openMenu(false));
    const entry = ({ name, icon: picture }) => element(
      'a',
      { href: hashOf(name), class: 'place', 'data-screen': name, onclick: () => this.openMenu(false) },
      icon(picture),
      element('span', {}, t(/** @type {any} */ (`screen.${name}`))),
    );
    const end = (where) => SCREENS.filter((row) => row.where === where).map(entry);
    $('rail').replaceChildren(...end('top'), element('span', { class: 'space' }), ...end('foot'));
    this.app.store.watch('link', (link) => this.#showLink(link));
    this.app.store.watch('busy', (busy) => this.#showBusy(busy));
    this.app.store.watch('assistant', () => this.title());
    this.app.store.watch('unread', (unread) => this.#showUnread(unread));
    stopControls(this.app);
    this.#shortcuts();
  }

  #shortcuts() {
    const listed = SCREENS.filter(({ where }) => where !== 'none');
    listed.slice(0, 9).forEach(({ name }, index) => bind({ keys: `alt+${index + 1}`, label: t(/** @type {any} */ (`screen.${name}`)), run: () => this.app.router.go(name) }));
    bind({ keys: 'mod+,', label: t('screen.settings'), run: () => this.app.router.go('settings') });
  }

  /** @param {number} unread */
  #showUnread(unread) {
    const link = $('rail').querySelector('[data-screen="notifications"]');
    link?.querySelector('.badge')?.remove();
    if (unread > 0) link?.append(element('span', { class: 'badge' }, unread > 99 ? '99+' : String(unread), element('span', { class: 'unseen' }, ` ${t('inbox.unread')}`)));
  }

  /** On a narrow window the rail lies over the screen. @param {boolean} shown */
  openMenu(shown) {
    const before = document.body.classList.contains('menu-shown');
    document.body.classList.toggle('menu-shown', shown);
    $('menu').setAttribute('aria-expanded', String(shown));
    if (shown) /** @type {HTMLElement | null} */ ($('rail').querySelector('a[aria-current]') ?? $('rail').querySelector('a'))?.focus();
    else if (before) $('menu').focus();
  }

  /** The screen on the stage. */
  get stage() {
    return this.standing.get(this.name)?.stage;
  }

  /** Names what the window shows. @param {string} [text] */
  title(text) {
    if (text !== undefined) this.shown = text;
    document.title = this.shown ? `${this.shown} – ${this.app.store.get('assistant')}` : this.app.store.get('assistant');
  }

  /** Begins the screens that stay, behind the stage: they listen to the engine whatever is shown. */
  async prepare() {
    const { place } = this.app.router;
    this.name = this.#row(place).name;
    await Promise.all(SCREENS.filter(({ stays }) => stays).map(async (row) => {
      const isShown = row.name === this.name;
      const standing = this.#stand(row, !isShown);
      try {
        const { enter } = await row.load();
        this.#enter(row, standing, enter, isShown ? place : { screen: row.name, rest: [], query: new URLSearchParams() });
      } catch (error) {
        this.#failed(standing.stage, error);
      }
    }));
    this.#mark();
  }

  /** @param {import('./router.js').Place} place */
  #row(place) {
    return SCREENS.find(({ name }) => name === place.screen) ?? SCREENS[0];
  }

  /** @param {import('./router.js').Place} place */
  async moved(place) {
    const row = this.#row(place);
    const known = this.standing.get(row.name);
    if (this.name === row.name && known) return known.opened?.moved?.(place);
    this.#leave();
    this.name = row.name;
    this.#mark();
    if (known) {
      known.stage.hidden = false;
      known.heading.hidden = false;
      return known.opened?.moved?.(place);
    }
    const standing = this.#stand(row);
    // Those who do not see the page change hear its name; in a chat the message box has the focus.
    standing.heading.querySelector('h1')?.focus({ preventScroll: true });
    try {
      const [{ enter }] = await Promise.all([row.load(), row.style && loadStyle(`/screens/${row.name}/${row.name}.css`)]);
      await this.#enter(row, standing, enter, place);
    } catch (error) {
      if (!standing.life.signal.aborted) this.#failed(standing.stage, error);
    }
    return undefined;
  }

  #mark() {
    for (const link of $('rail').querySelectorAll('a')) {
      if (link.dataset.screen === this.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  /**
   * The places of a screen, before its code is there.
   * @param {import('../screens/registry.js').ScreenRow} row
   */
  #stand(row, hidden = false) {
    const stage = element(row.stays ? 'div' : 'main', { class: row.stays ? 'whole' : 'screen', 'data-screen': row.name, tabindex: -1, hidden });
    const heading = element('div', { class: 'heading', hidden });
    if (!row.stays) {
      const name = t(/** @type {any} */ (`screen.${row.name}`));
      heading.append(element('h1', { tabindex: -1 }, name));
      this.title(name);
    }
    /** @type {Standing} */
    const standing = { stage, heading, life: new AbortController(), opened: undefined };
    this.standing.set(row.name, standing);
    $('stage').querySelector('.opening')?.remove();
    $('headings').append(heading);
    $('stage').append(stage);
    return standing;
  }

  /**
   * @param {import('../screens/registry.js').ScreenRow} row
   * @param {Standing} standing
   * @param {(visit: import('./app.js').Visit) => any} enter
   * @param {import('./router.js').Place} place
   */
  async #enter(row, standing, enter, place) {
    const { stage, heading, life } = standing;
    if (life.signal.aborted) return;
    standing.opened = await enter({ app: this.app, stage, heading, place, signal: life.signal });
    // The person may have moved on within the screen while it was begun.
    const now = this.app.router.place;
    const moved = now.screen === row.name && [...now.rest, now.query].join('/') !== [...place.rest, place.query].join('/');
    if (moved && !life.signal.aborted) standing.opened?.moved?.(now);
  }

  /**
   * @param {HTMLElement} stage
   * @param {unknown} error
   */
  #failed(stage, error) {
    const again = () => {
      this.#leave(true);
      this.moved(this.app.router.place);
    };
    stage.replaceChildren(element(
      'div',
      { class: 'lost', role: 'alert' },
      element('p', {}, t('shell.lost')),
      element('p', { class: 'quiet' }, error instanceof Error ? error.message : String(error)),
      element('button', { type: 'button', onclick: again }, t('shell.retry')),
    ));
  }

  #leave(forGood = false) {
    const left = this.standing.get(this.name);
    const row = SCREENS.find(({ name }) => name === this.name);
    if (!left || !row) return;
    if (row.stays && !forGood) {
      left.stage.hidden = true;
      left.heading.hidden = true;
      return;
    }
    left.life.abort();
    left.stage.remove();
    left.heading.remove();
    this.standing.delete(this.name);
    this.name = '';
  }

  /** @param {'connecting' | 'open' | 'closed'} link */
  #showLink(link) {
    $('link').textContent = link === 'closed' ? t('shell.link.closed') : '';
  }

  /** @param {any} busy */
  #showBusy(busy) {
    const place = $('busy');
    const words = busyWords(busy);
    place.hidden = words === null;
    if (!words) return;
    place.title = words.more;
    place.replaceChildren(element('span', { class: 'pulse', 'aria-hidden': 'true' }), element('span', {}, words.text));
  }
}

/** Brings in a style sheet, once. @param {string} href */
function loadStyle(href) {
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  return new Promise((loaded) => {
    const sheet = element('link', { rel: 'stylesheet', href, onload: loaded, onerror: loaded });
    document.head.append(sheet);
  });
}

/** What the title bar says about the local model: `{text, more}`, or `null` when it rests. @param {any} busy */
export function busyWords(busy) {
  if (!busy) return null;
  const model = busy.model?.split('/').at(-1) ?? '';
  const waits = busy.waiting ? t('busy.waiting', { count: busy.waiting }) : '';
  const held = busy.deferred && busy.deferred_reason
    ? t(/** @type {any} */ (`busy.deferred.${busy.deferred_reason}`), { count: busy.deferred }) : '';
  const more = [model && busy.busy ? t('busy.model', { model }) : '', waits, held].filter(Boolean).join(' · ');
  if (busy.busy) return { text: t(/** @type {any} */ (`busy.${busy.job ?? 'background'}`)), more };
  return held ? { text: held, more } : null;
}
