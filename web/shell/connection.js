// The way to the engine: the token, the requests, and the live channel that comes back by itself after a break.

import { t } from '../text/index.js';

const TOKEN_KEY = 'sentient.token';
const PING_EVERY_MS = 25_000;
const SILENCE_MAX_MS = 70_000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 15_000;
const CATCH_UP_MAX_MS = 2_000;

/** Takes the token out of the address (`#token=` or `?token=`), so that it is in no history, or from this tab's memory. */
export function takeToken() {
  const query = new URLSearchParams(location.search);
  const hash = new URLSearchParams(location.hash.slice(1));
  const given = hash.get('token') ?? query.get('token');
  if (given !== null) {
    query.delete('token');
    const rest = (text, mark) => (text ? mark + text : '');
    // What else stands behind `#` names a screen, and is left as it is.
    const place = hash.has('token') ? location.hash.slice(1).replace(/(^|&)token=[^&]*/, '') : location.hash.slice(1);
    history.replaceState(null, '', location.pathname + rest(query.toString(), '?') + rest(place.replace(/^&/, ''), '#'));
    keepToken(given);
  }
  return given ?? sessionStorage.getItem(TOKEN_KEY) ?? localStorage.getItem(TOKEN_KEY) ?? '';
}

/**
 * Keeps the token for this tab; for this browser too when the person said so, or when it kept one already.
 * @param {string} token
 * @param {boolean} [forBrowser]
 */
export function keepToken(token, forBrowser = localStorage.getItem(TOKEN_KEY) !== null) {
  sessionStorage.setItem(TOKEN_KEY, token);
  if (forBrowser) localStorage.setItem(TOKEN_KEY, token);
}

/** Forgets a token that the engine did not take. */
export function forgetToken() {
  sessionStorage.removeItem(TOKEN_KEY);
  localStorage.removeItem(TOKEN_KEY);
}

/** What is wrong with one value of a request. @typedef {{ loc: string[], msg: string }} Wrong */

/** An answer that was not a success; `message` is for the person, `wrong` names the values that were not accepted. */
export class ApiError extends Error {
  /**
   * @param {number} status 0 when there was no answer
   * @param {string} message
   * @param {Wrong[]} [wrong]
   * @param {any} [body] the whole answer
   */
  constructor(status, message, wrong = [], body = null) {
    super(message);
    this.status = status;
    this.wrong = wrong;
    this.body = body;
  }
}

/** @param {number} status @param {any} body */
function problemOf(status, body) {
  const { detail } = body ?? {};
  if (typeof detail === 'string') return new ApiError(status, detail, [], body);
  if (!Array.isArray(detail)) return new ApiError(status, t('shell.status', { status }), [], body);
  const wrong = detail.map(({ loc, msg }) => ({ loc: [].concat(loc).map(String), msg: String(msg) }));
  return new ApiError(status, wrong.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n'), wrong, body);
}

/** Requests with the token. A path's parts are encoded by `path`. */
export class Api {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} [body] JSON, or a form
   * @param {AbortSignal} [signal]
   */
  async #ask(method, path, body, signal) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: `Bearer ${this.token}` };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
    try {
      return await fetch(path, { method, headers, body: body === undefined || isForm ? body : JSON.stringify(body), signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError(0, t('shell.unanswered'));
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} [body]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async call(method, path, body, signal) {
    const answer = await this.#ask(method, path, body, signal);
    const isJson = (answer.headers.get('Content-Type') ?? '').includes('json');
    const value = isJson ? await answer.json().catch(() => null) : null;
    if (!answer.ok) throw problemOf(answer.status, value);
    return value;
  }

  /** @param {string} path @param {AbortSignal} [signal] */
  get(path, signal) {
    return this.call('GET', path, undefined, signal);
  }

  /**
   * A request that is answered line by line; `hear` gets each line's value. Lines that cannot be read are left out.
   * @param {string} method
   * @param {string} path
   * @param {any} body
   * @param {(line: any) => void} hear
   * @param {AbortSignal} [signal]
   */
  async lines(method, path, body, hear, signal) {
    const answer = await this.#ask(method, path, body, signal);
    if (!answer.ok || !answer.body) throw problemOf(answer.status, await answer.json().catch(() => null));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ApiError(0, t('shell.unanswered'));
      });
      const lines = (rest + (value ?? '')).split('\n');
      rest = done ? '' : lines.pop() ?? '';
      for (const line of lines) if (line.trim()) hearLine(line, hear);
      if (done) return;
    }
  }

  /**
   * Uploads a form. `progress` hears how much of it is there, from 0 to 1: `fetch` does not tell, so this is the older way.
   * @param {string} path
   * @param {FormData} form
   * @param {(share: number) => void} progress
   * @returns {{ answer: Promise<any>, abort: () => void }}
   */
  upload(path, form, progress) {
    const request = new XMLHttpRequest();
    const answer = new Promise((done, failed) => {
      request.open('POST', path);
      request.setRequestHeader('Authorization', `Bearer ${this.token}`);
      request.responseType = 'json';
      request.upload.onprogress = ({ loaded, total }) => total > 0 && progress(loaded / total);
      request.onload = () => (request.status >= 200 && request.status < 300 ? done(request.response) : failed(problemOf(request.status, request.response)));
      request.onerror = () => failed(new ApiError(0, t('shell.unanswered')));
      request.onabort = () => failed(new ApiError(0, ''));
      request.send(form);
    });
    return { answer, abort: () => request.abort() };
  }

  /** Deletes something while the page is being closed: the request outlives it. @param {string} path */
  deleteOnLeaving(path) {
    fetch(path, { method: 'DELETE', keepalive: true, headers: { Authorization: `Bearer ${this.token}` } }).catch(() => {});
  }

  /** Whether a stored file is still there. @param {string} name */
  async hasFile(name) {
    const answer = await fetch(this.fileAddress(name), { method: 'HEAD' });
    return answer.status !== 404;
  }

  /** Where a stored file can be loaded from. Every part of the name is encoded on its own. */
  fileAddress(name) {
    const path = name.split('/').map((part) => encodeURIComponent(decode(part))).join('/');
    return `/api/files/content/${path}?token=${encodeURIComponent(this.token)}`;
  }
}

/** An address with its parts encoded: `` path`/api/sessions/${id}` ``. @param {TemplateStringsArray} texts @param {...string} parts */
export const path = (texts, ...parts) => String.raw({ raw: texts }, ...parts.map(encodeURIComponent));

/** @param {string} line @param {(line: any) => void} hear */
function hearLine(line, hear) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return;
  }
  hear(value);
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The live channel. `hear` gets each numbered frame once, in order, also across breaks. `resync` is called when frames
 * are lost for good and the state must be fetched again; `caughtUp` when all that was missed has been heard.
 */
export class Live {
  constructor(token, { hear, state, resync, caughtUp, denied }) {
    this.token = token;
    this.on = { hear, state, resync, caughtUp, denied };
    this.last = null;
    this.tries = 0;
    this.socket = null;
    this.timers = new Set();
    addEventListener('online', () => this.retryNow());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.retryNow());
  }

  open() {
    const since = this.last === null ? '' : `&since=${this.last}`;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/ws?token=${encodeURIComponent(this.token)}${since}`);
    this.socket = socket;
    this.greeted = false;
    socket.onmessage = ({ data }) => socket === this.socket && this.take(data);
    socket.onclose = ({ code }) => socket === this.socket && this.closed(code);
  }

  /** Sends a frame; answers false when there is nobody to hear it now. */
  send(frame) {
    if (!this.greeted || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  take(data) {
    this.watch();
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    if (frame.type === 'hello') return this.greet(frame);
    if (frame.type === 'pong') return undefined;
    if (typeof frame.seq === 'number') {
      if (this.last !== null && frame.seq <= this.last) return undefined; // heard before the break
      this.last = frame.seq;
    }
    this.on.hear(frame);
    return this.checkCaughtUp();
  }

  greet(hello) {
    const first = this.last === null;
    const again = this.greeted; // a greeting in the middle: this window was too slow, and frames were left out
    // A smaller number than ours means that the engine counts anew.
    const lost = !first && (hello.resync === true || hello.seq < this.last);
    if (first || lost) this.last = hello.seq ?? null;
    this.greeted = true;
    this.tries = 0;
    this.goal = hello.seq ?? 0;
    this.catching = true;
    this.on.state('open', hello);
    if (!again) this.every(PING_EVERY_MS, () => this.send({ type: 'ping' }));
    if (lost) this.on.resync();
    this.after(CATCH_UP_MAX_MS, () => this.checkCaughtUp(true));
    this.checkCaughtUp(lost || first);
  }

  checkCaughtUp(anyway = false) {
    if (!this.catching || !(anyway || (this.last ?? 0) >= this.goal)) return;
    this.catching = false;
    this.on.caughtUp();
  }

  closed(code) {
    this.calm();
    this.greeted = false;
    this.catching = false;
    if (code === 4401) return this.on.denied();
    this.on.state('closed');
    const wait = Math.min(RETRY_FIRST_MS * 2 ** this.tries, RETRY_MAX_MS) * (0.8 + 0.4 * Math.random());
    this.tries += 1;
    this.retry = this.after(wait, () => this.open());
    return undefined;
  }

  retryNow() {
    if (this.retry === undefined || this.socket?.readyState !== WebSocket.CLOSED) return;
    this.calm();
    this.open();
  }

  /** A channel that has been silent for too long is dead, whatever the system says. Called for every frame, so it only notes the time. */
  watch() {
    this.heardAt = performance.now();
    if (this.silence === undefined) this.listen(SILENCE_MAX_MS);
  }

  /** @param {number} wait */
  listen(wait) {
    this.silence = this.after(wait, () => {
      const left = this.heardAt + SILENCE_MAX_MS - performance.now();
      if (left > 0) return this.listen(left);
      const socket = this.socket;
      socket.onclose = null;
      socket.close();
      this.closed(0);
      return undefined;
    });
  }

  after(wait, job) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      job();
    }, wait);
    this.timers.add(timer);
    return timer;
  }

  every(wait, job) {
    this.after(wait, () => {
      job();
      this.every(wait, job);
    });
  }

  calm() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.silence = undefined;
    this.retry = undefined;
  }
}
