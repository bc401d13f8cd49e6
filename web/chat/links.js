// Addresses of the outside world in a conversation. Only http, https and mailto become links; a link says where it really
// leads and opens outside the window. Nothing here is loaded: a picture from outside is a link until somebody follows it.

const SHOWN_ADDRESS_CHARS_MAX = 60;

/**
 * An address the person may follow, or null.
 * @param {string} address
 * @returns {URL | null}
 */
export function safeAddress(address) {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/**
 * The address as people read it, cut where it gets long.
 * @param {URL} url
 */
export function shownAddress(url) {
  const shown = url.href.replace(/^https?:\/\//, '').replace(/^mailto:/, '').replace(/\/$/, '');
  return shown.length > SHOWN_ADDRESS_CHARS_MAX ? `${shown.slice(0, SHOWN_ADDRESS_CHARS_MAX)}…` : shown;
}

/**
 * Whether the words of a link are its address already.
 * @param {string} label
 * @param {URL} url
 */
const saysSo = (label, url) => {
  const said = label.trim();
  const bare = url.href.replace(/\/$/, '');
  return [url.href, bare, bare.replace(/^https?:\/\//, ''), bare.replace(/^mailto:/, '')].includes(said);
};

/**
 * An `a` that opens outside, without words yet.
 * @param {URL} url
 */
export function outsideLink(url) {
  const node = document.createElement('a');
  node.href = url.href;
  node.target = '_blank';
  node.rel = 'noopener noreferrer';
  node.title = url.href;
  return node;
}

/**
 * What stands behind a link whose words are not its address; null when they are.
 * @param {string} label
 * @param {URL} url
 */
export function whereTo(label, url) {
  if (saysSo(label, url)) return null;
  const node = document.createElement('span');
  node.className = 'address';
  node.textContent = ` (${shownAddress(url)})`;
  return node;
}

/**
 * A link that says where it leads; only words when the address is none a person may follow.
 * @param {string} label
 * @param {string} address
 */
export function anchor(label, address) {
  const around = document.createDocumentFragment();
  const url = safeAddress(address);
  if (!url) {
    around.append(label, label === address ? '' : ` (${address})`);
    return around;
  }
  const node = outsideLink(url);
  node.append(label);
  around.append(node);
  const where = whereTo(label, url);
  if (where) around.append(where);
  return around;
}
