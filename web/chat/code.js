// A block of code: its language, a button that copies it, and colours once the grammar of the language has been fetched.
// The colours are elements built from the parts highlight.js names; no markup it writes is used.

import { t } from '../text/index.js';
import { colourful } from './highlight.js';

const COPIED_MS = 1_500;

/**
 * @param {string} source
 * @param {string} language as the author wrote it, or ''
 */
export function codeBlock(source, language) {
  const code = document.createElement('code');
  code.textContent = source;
  const pre = document.createElement('pre');
  pre.tabIndex = 0; // a keyboard can scroll a wide one
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', language ? t('chat.code.in', { language }) : t('chat.code'));
  pre.append(code);
  const head = document.createElement('figcaption');
  const name = document.createElement('span');
  name.textContent = language;
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'copy';
  copy.textContent = t('chat.copy');
  copy.setAttribute('aria-label', t('chat.code.copy'));
  head.append(name, copy);
  const figure = document.createElement('figure');
  figure.className = 'code';
  if (language) figure.dataset.language = language;
  figure.append(head, pre);
  return figure;
}

/** Colours the code of a block that will not grow any more. @param {HTMLElement} figure */
export async function colour(figure) {
  const code = figure.querySelector('code');
  const source = code.textContent;
  const parts = await colourful(source, figure.dataset.language ?? '');
  if (parts && code.textContent === source) code.replaceChildren(...parts);
}

/** Colours every block in or below `nodes` that has not been. @param {Node[]} nodes */
export function colourAll(nodes) {
  const wanted = 'figure.code[data-language]:not([data-coloured])';
  for (const node of nodes) {
    if (!(node instanceof HTMLElement)) continue;
    for (const block of /** @type {HTMLElement[]} */ ([...(node.matches(wanted) ? [node] : []), ...node.querySelectorAll(wanted)])) {
      block.dataset.coloured = '';
      colour(block);
    }
  }
}

/** One listener for the copy buttons of everything below `root`. @param {HTMLElement} root */
export function copyOnClick(root) {
  root.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('button.copy') : null;
    const source = button?.closest('figure.code')?.querySelector('code');
    if (button && source) await copied(/** @type {HTMLElement} */ (button), source.textContent);
  });
}

/** Copies `text`, and says so on the button for a moment. @param {HTMLElement} label @param {string} text */
export async function copied(label, text) {
  const button = label.closest('button');
  const name = button.getAttribute('aria-label');
  const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
  label.textContent = t(done ? 'chat.copied' : 'chat.copy.failed');
  button.removeAttribute('aria-label'); // what is heard is what is seen
  setTimeout(() => {
    label.textContent = t('chat.copy');
    if (name) button.setAttribute('aria-label', name);
  }, COPIED_MS);
}
