// The keyboard map. A shortcut never fires while the person writes, unless it has a modifier key, and never takes one the
// browser or a screen reader needs.

/** @typedef {{ keys: string, label: string, run: () => void }} Shortcut `keys` as in `mod+k`, `alt+n`, `?` */

/** @type {Shortcut[]} */
const shortcuts = [];
export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

/** @param {KeyboardEvent} event */
function keysOf(event) {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const parts = [mod && 'mod', event.altKey && 'alt', event.shiftKey && (event.key.length > 1 || mod || event.altKey) && 'shift'].filter(Boolean);
  // With Alt, some layouts write another letter: the place of the key counts then.
  const placed = event.altKey ? /^(?:Key|Digit)(.)$/.exec(event.code)?.[1] : undefined;
  const key = (placed ?? event.key).toLowerCase();
  return [...parts, key].join('+');
}

/** @param {EventTarget | null} target */
const writes = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Adds a shortcut until `signal` is aborted. @param {Shortcut} shortcut @param {AbortSignal} [signal] */
export function bind(shortcut, signal) {
  shortcuts.push(shortcut);
  signal?.addEventListener('abort', () => shortcuts.splice(shortcuts.indexOf(shortcut), 1));
}

/** All that are bound now, for the page that lists them. */
export const bound = () => [...shortcuts];

/** How the keys are written on this computer. @param {string} keys */
export const written = (keys) => keys.split('+').map((key) => {
  const names = isMac ? { mod: '⌘', alt: '⌥', shift: '⇧' } : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift' };
  return names[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}).join(isMac ? '' : '+');

/** Listens on the whole window. */
export function listen() {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
    const keys = keysOf(event);
    if (writes(event.target) && !keys.includes('mod+') && !keys.includes('alt+')) return;
    const found = shortcuts.findLast((shortcut) => shortcut.keys === keys);
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}
