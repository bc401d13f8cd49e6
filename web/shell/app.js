// What the screens stand on: the way to the engine, the shared state, and who is told of what the engine says. One for
// the whole window.

import { Api, Live } from './connection.js';
import { $ } from './dom.js';
import { Frame } from './frame.js';
import { Router } from './router.js';
import { Store } from './store.js';
import { wear } from './theme.js';
import { Toasts } from './toasts.js';
import { t } from '../text/index.js';

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
    /** Who is told of what. @type {Map<string, Set<(value: any) => void>>} */
    this.listeners = new Map();
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
    try {
      await this.refresh();
    } catch (error) {
      if (error.status !== 0) throw error;
      // The engine is down. The window opens all the same, says so, and fills when the engine is back.
    }
    const isNew = this.store.get('bootstrap')?.assistant?.onboarding_complete === false;
    if (isNew && this.router.place.screen === 'chat') this.router.note('setup');
    await this.frame.prepare(); // before anything is heard
    this.live.open();
    this.router.start();
    for (const event of ['focus', 'blur']) addEventListener(event, () => this.#present());
    document.addEventListener('visibilitychange', () => this.#present());
    this.on('config.updated', () => this.refresh().catch(() => {})); // the next change, or the next connection, tells it
    this.on('stop.updated', (stop) => this.store.set('stop', stop));
    this.on('model.busy', (busy) => this.store.set('busy', busy));
    this.on('notification.new', (note) => !note.read && this.store.set('unread', this.store.get('unread') + 1));
    for (const change of ['notification.read', 'notification.deleted', 'notification.updated']) this.on(change, () => this.#countUnread());
    this.on('frame', (frame) => this.#keepQuestions(frame));
    this.on('resync', () => this.store.set('questions', new Map()));
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
    const all = this.listeners.get(type) ?? new Set();
    // Each time it is asked for is one of its own, also of the same function.
    const listener = (value) => told(value);
    this.listeners.set(type, all.add(listener));
    signal?.addEventListener('abort', () => all.delete(listener));
  }

  /** Sends a message of the person in a new chat; the chat screen listens for it. @param {string} text */
  say(text) {
    this.#tell('say', text);
  }

  /**
   * @param {string} type
   * @param {any} [value]
   */
  #tell(type, value) {
    for (const told of [...(this.listeners.get(type) ?? [])]) told(value);
  }

  async #countUnread() {
    try {
      this.store.set('unread', (await this.api.get('/api/notifications?limit=1&unread_only=true')).unread);
    } catch {
      // The next change, or the next connection, tells it.
    }
  }

  /** @param {any} frame */
  #keepQuestions(frame) {
    if (!['approval_request', 'approval.ack', 'done'].includes(frame.type)) return; // nearly always: a piece of a reply
    const questions = new Map(this.store.get('questions'));
    if (frame.type === 'approval_request') questions.set(frame.approval_id, frame);
    else if (frame.type === 'approval.ack') questions.delete(frame.approval_id);
    else if (frame.type === 'done') for (const [id, one] of questions) if (one.turn_id === frame.turn_id) questions.delete(id);
    this.store.set('questions', questions);
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
      this.#checkVersion(hello.version);
    } else {
      this.#checkToken();
    }
    this.store.set('link', state);
  }

  /**
   * A window that was opened without the engine fetches what it lacks; one that was opened by an older engine offers to
   * be loaded anew, since its files are of that engine.
   * @param {string} version
   */
  #checkVersion(version) {
    const known = this.store.get('bootstrap')?.version;
    if (known === undefined) this.#begin();
    else if (version !== known && !this.outdated) {
      this.outdated = this.toasts.show(t('shell.newer', { version }), { action: { label: t('shell.reload'), run: () => location.reload() } });
    }
  }

  async #begin() {
    try {
      await this.refresh();
      this.#tell('resync');
    } catch {
      // The channel says when the next try makes sense.
    }
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
