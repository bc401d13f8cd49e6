// Small helpers to build elements. Strings become text nodes; there is no way to pass markup.

const SHOWN_CHARS_MAX = 20_000;

/**
 * The element with this id; whoever asks knows that it is there, and what kind it is.
 * @param {string} id
 * @returns {any}
 */
export const $ = (id) => document.getElementById(id);

/**
 * Makes an element. `onclick` and the like are listeners; `false`, `null` and `undefined` leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/** `uploads/list.txt` as people call it. */
export const baseName = (name) => name.split('/').at(-1);

/** `web_search` as people say it. */
export const spoken = (name) => {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A value as text, cut where it would only slow the page down. */
export const shown = (value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '';
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}\n… (${text.length} characters)` : text;
};

/**
 * Makes these the children of `parent`. What stays is not moved, so that it keeps the focus and what was unfolded in it.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const old of [...parent.childNodes]) if (!wanted.has(old)) old.remove();
  let next = /** @type {Node | null} */ (null);
  for (const child of children.toReversed()) {
    if (child.parentNode !== parent || child.nextSibling !== next) parent.insertBefore(child, next);
    next = child;
  }
}
