// What the screens stand on: the way to the engine, the shared state, and who is told of what the engine says. One for
// the whole window.

import { Api, Live } from './connection.js';
import { $ } from './dom.js';
import { Frame } from './frame.js';
import { Router } from './router.js';
import { Store } from './store.js';
import { wear } from './theme.js';
import { Toasts } from './toasts.js';

/**
 * What a screen gets when it is opened.
 * @typedef {object} Visit
 * @property {App} app
 * @property {HTMLElement} stage where it draws
 * @property {HTMLElement} heading its part of the title bar
 * @property {import('./router.js').Place} place
 * @property {AbortSignal} signal aborted when the screen is left for good
 */

/** What a screen may answer. @typedef {{ moved?: (place: import('./router.js').Place) => void } | undefined} Opened */

export class App {
  /**
   * @param {string} token
   * @param {{ denied: () => void }} on
   */
  constructor(token, { denied }) {
    this.token = token;
    this.denied = denied;
    this.api = new Api(token);
    this.store = new Store();
    this.toasts = new Toasts($('toasts'));
    /** @type {Set<{ type: string, told: (value: any) => void }>} */
    this.listeners = new Set();
    this.live = new Live(token, {
      hear: (frame) => this.#hear(frame),
      state: (state, hello) => this.#linkChanged(state, hello),
      resync: () => this.#tell('resync'),
      caughtUp: () => this.#tell('caughtUp'),
      denied,
    });
    this.frame = new Frame(this);
    this.router = new Router((place) => this.frame.moved(place));
  }

  async start() {
    await this.refresh();
    await this.frame.prepare(); // before anything is heard
    this.live.open();
    this.router.start();
    for (const event of ['focus', 'blur']) addEventListener(event, () => this.#present());
    document.addEventListener('visibilitychange', () => this.#present());
    this.on('config.updated', () => this.refresh().catch(() => {})); // the next change, or the next connection, tells it
    this.on('stop.updated', (stop) => this.store.set('stop', stop));
    this.on('model.busy', (busy) => this.store.set('busy', busy));
    this.on('resync', () => this.refresh().catch(() => {}));
    this.api.get('/api/models/busy').then((busy) => this.store.set('busy', busy), () => {});
  }

  /** Fetches what every screen shares. */
  async refresh() {
    const bootstrap = await this.api.get('/api/bootstrap');
    this.store.set('bootstrap', bootstrap);
    this.store.set('assistant', bootstrap?.assistant?.name || 'Sentient');
    if (bootstrap?.stop) this.store.set('stop', bootstrap.stop);
    this.store.set('unread', bootstrap?.unread_notifications ?? 0);
    wear(bootstrap?.ui);
  }

  /**
   * Tells `told` of what the engine says, until `signal` is aborted. `type` is a change such as `task.updated` (told its
   * `data`), `frame` for each frame as it is, `resync` when frames were lost and what was fetched must be fetched again,
   * or `caughtUp` when all that was missed has been heard.
   * @param {string} type
   * @param {(value: any) => void} told
   * @param {AbortSignal} [signal]
   */
  on(type, told, signal) {
    const listener = { type, told };
    this.listeners.add(listener);
    signal?.addEventListener('abort', () => this.listeners.delete(listener));
  }

  /**
   * @param {string} type
   * @param {any} [value]
   */
  #tell(type, value) {
    for (const listener of [...this.listeners]) if (listener.type === type) listener.told(value);
  }

  /** @param {any} frame */
  #hear(frame) {
    this.#tell('frame', frame);
    if (frame.data !== undefined && frame.type?.includes('.')) this.#tell(frame.type, frame.data);
  }

  /**
   * @param {'open' | 'closed'} state
   * @param {any} [hello]
   */
  #linkChanged(state, hello) {
    document.body.dataset.link = state;
    if (state === 'open') {
      if (hello.assistant) this.store.set('assistant', hello.assistant);
      this.#present();
    } else {
      this.#checkToken();
    }
    this.store.set('link', state);
  }

  /** A refused handshake looks to the page like any other broken one, so it asks a question with a plain answer. */
  async #checkToken() {
    try {
      await this.api.get('/api/bootstrap');
    } catch (error) {
      if (error.status === 401) this.denied();
    }
  }

  #present() {
    this.live.send({ type: 'presence', active: document.visibilityState === 'visible' && document.hasFocus() });
  }
}
