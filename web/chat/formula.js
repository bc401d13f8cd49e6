// A formula: shown as it was written until Temml has been fetched, then as MathML. Temml builds elements from names of its
// own; it is told to trust nothing, so that no formula can set a link, a class, an id or a picture.

import { t } from '../text/index.js';

const EXPANSIONS_MAX = 200;
const SIZE_MAX_EM = 20;
const OPTIONS = { throwOnError: true, trust: false, strict: false, annotate: false, maxExpand: EXPANSIONS_MAX, maxSize: [SIZE_MAX_EM, SIZE_MAX_EM] };

let temml = null;

/**
 * @param {string} source
 * @param {boolean} wide on a line of its own
 */
export function formula(source, wide) {
  const node = document.createElement('span');
  node.className = wide ? 'formula wide-formula' : 'formula';
  if (wide) {
    node.tabIndex = 0;
    node.setAttribute('role', 'region');
    node.setAttribute('aria-label', t('chat.formula'));
  }
  node.dataset.source = source;
  if (temml instanceof Promise || temml === null) {
    node.append(asWritten(source));
    typeset(node, source, wide);
  } else {
    set(temml, node, source, wide);
  }
  return node;
}

function asWritten(source) {
  const code = document.createElement('code');
  code.textContent = source;
  return code;
}

async function typeset(node, source, wide) {
  temml ??= import('../vendor/temml/temml.js').then((module) => (temml = module.default));
  try {
    set(await temml, node, source, wide);
  } catch {
    temml = null; // it is still readable as it was written, and the next formula tries again
  }
}

/** What Temml cannot read stays as it was written. */
function set(renderer, node, source, wide) {
  const place = document.createElement('span');
  try {
    renderer.render(source, place, { ...OPTIONS, displayMode: wide });
    node.replaceChildren(...place.childNodes);
  } catch {
    node.replaceChildren(asWritten(source));
  }
}
