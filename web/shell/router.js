// Where the window is: the part of the address behind `#`, as in `#/settings/models?find=key`. Screens are named by the
// first part, and read the rest themselves.

/** @typedef {{ screen: string, rest: string[], query: URLSearchParams }} Place */

/** @param {string} hash @returns {Place} */
export function placeOf(hash) {
  const whole = hash.replace(/^#/, '');
  if (!whole.startsWith('/')) {
    // Addresses of older windows: `#chat=<id>`.
    const chat = new URLSearchParams(whole).get('chat');
    return { screen: 'chat', rest: chat ? [chat] : [], query: new URLSearchParams() };
  }
  const [path, query] = whole.split('?', 2);
  const [screen, ...rest] = path.split('/').filter(Boolean).map(decode);
  return { screen: screen ?? 'chat', rest, query: new URLSearchParams(query ?? '') };
}

/** `hashOf('chat', id)` is the address of a chat. @param {string[]} parts */
export const hashOf = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export class Router {
  /** @param {(place: Place) => void} moved is told of every move, also the first. */
  constructor(moved) {
    this.moved = moved;
  }

  get place() {
    return placeOf(location.hash);
  }

  start() {
    addEventListener('hashchange', () => this.moved(this.place));
    this.moved(this.place);
  }

  /** Goes to a screen; the way back is kept. @param {string[]} parts */
  go(...parts) {
    const hash = hashOf(...parts);
    if (location.hash === hash) this.moved(this.place);
    else location.hash = hash;
  }

  /** Says where the window already is, without a move. @param {string[]} parts */
  note(...parts) {
    const home = parts.length === 1 && parts[0] === 'chat';
    history.replaceState(null, '', home ? location.pathname + location.search : hashOf(...parts));
  }
}
