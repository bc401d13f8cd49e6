// What every part of the window shares: one value per name, and whoever watches it is told when it changes. Nothing in
// it is decided here; it was fetched or heard from the engine.

/**
 * @typedef {object} Shared
 * @property {'connecting' | 'open' | 'closed'} link
 * @property {any} bootstrap what `GET /api/bootstrap` said last
 * @property {string} assistant its name
 * @property {{ stopped: boolean, stopped_at: string | null, source: string | null }} stop
 * @property {any} busy what the local model does (ModelBusy), `null` until it is known
 * @property {number} unread notifications nobody has read
 * @property {Map<string, any>} questions open approval requests this window has heard of, by their id
 */

export class Store {
  /** @type {Shared} */
  #values = {
    link: 'connecting',
    bootstrap: null,
    assistant: 'Sentient',
    stop: { stopped: false, stopped_at: null, source: null },
    busy: null,
    unread: 0,
    questions: new Map(),
  };

  /** @type {Map<keyof Shared, Set<(value: any) => void>>} */
  #watchers = new Map();

  /**
   * @template {keyof Shared} K
   * @param {K} name
   * @returns {Shared[K]}
   */
  get(name) {
    return this.#values[name];
  }

  /**
   * @template {keyof Shared} K
   * @param {K} name
   * @param {Shared[K]} value
   */
  set(name, value) {
    if (Object.is(this.#values[name], value)) return;
    this.#values[name] = value;
    for (const told of [...(this.#watchers.get(name) ?? [])]) told(value);
  }

  /**
   * Calls `told` now and after every change, until `signal` is aborted.
   * @template {keyof Shared} K
   * @param {K} name
   * @param {(value: Shared[K]) => void} told
   * @param {AbortSignal} [signal]
   */
  watch(name, told, signal) {
    const all = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, all.add(told));
    signal?.addEventListener('abort', () => all.delete(told));
    told(this.#values[name]);
  }
}
