// A choice between a few things that need a sentence each: radio buttons that look like cards.

import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';

/**
 * @param {string} name
 * @param {string} legend
 * @param {{ value: string, icon: string, title: string, text: string, badge?: string }[]} rows
 * @param {string} chosen
 * @param {(value: string) => void} changed
 */
export function cards(name, legend, rows, chosen, changed) {
  return element(
    'fieldset',
    { class: 'cards' },
    element('legend', { class: 'unseen' }, legend),
    ...rows.map((row) => {
      const box = element('input', { type: 'radio', name, value: row.value, onchange: () => changed(row.value) });
      box.checked = row.value === chosen;
      return element(
        'label',
        { class: 'option' },
        box,
        icon(row.icon),
        element('span', { class: 'option-words' }, element('b', {}, row.title), row.badge ? element('span', { class: 'pill accent' }, row.badge) : null, element('span', { class: 'quiet' }, row.text)),
      );
    }),
  );
}
