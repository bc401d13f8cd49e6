// An icon as an element. It is decoration: the control beside or around it has the name.

import { ICONS } from '../vendor/lucide/icons.js';

const SVG = 'http://www.w3.org/2000/svg';

/** @param {string} name one of `vendor/lucide/icons.js` */
export function icon(name) {
  const node = document.createElementNS(SVG, 'svg');
  node.setAttribute('class', 'icon');
  node.setAttribute('viewBox', '0 0 24 24');
  node.setAttribute('aria-hidden', 'true');
  for (const [tag, attributes] of ICONS[name] ?? []) {
    const part = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, String(value));
    node.append(part);
  }
  return node;
}
