// Brings nodes that are on the page in line with fresh ones, touching only what differs: letters are added to a text that
// grew, so that a selection, the focus and the place of a box that scrolls are kept.

/**
 * Puts `fresh` in the place of `old`, which are the last children of `parent`. Answers the nodes that are there now.
 * @param {Node} parent
 * @param {ChildNode[]} old
 * @param {Node[]} fresh
 * @returns {ChildNode[]}
 */
export function patch(parent, old, fresh) {
  const now = fresh.map((node, index) => /** @type {ChildNode} */ (old[index] ? patchNode(old[index], node) : parent.appendChild(node)));
  for (const node of old.slice(fresh.length)) node.remove();
  return now;
}

/** @param {any} old @param {any} fresh @returns {Node} */
function patchNode(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE && fresh.nodeType === Node.TEXT_NODE) return patchText(old, fresh.data);
  if (!alike(old, fresh)) {
    old.replaceWith(fresh);
    return fresh;
  }
  if (old.matches('figure.code')) patchCode(old, fresh);
  else patch(old, [...old.childNodes], [...fresh.childNodes]);
  return old;
}

/** @param {Text} node @param {string} data */
export function patchText(node, data) {
  if (node.data === data) return node;
  if (data.startsWith(node.data)) node.appendData(data.slice(node.data.length));
  else node.data = data;
  return node;
}

/** Whether one may become the other by changing what is inside. */
function alike(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.nodeType !== Node.ELEMENT_NODE) return false;
  if (old.matches('.formula')) return old.dataset.source === fresh.dataset.source && old.className === fresh.className;
  return ['class', 'href', 'src', 'start', 'data-language'].every((name) => old.getAttribute(name) === fresh.getAttribute(name));
}

/** Code keeps its colours until its letters change. */
function patchCode(old, fresh) {
  const [now, then] = [old, fresh].map((figure) => figure.querySelector('code'));
  if (now.textContent === then.textContent) return;
  delete old.dataset.coloured;
  now.textContent = then.textContent;
}
