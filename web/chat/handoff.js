// "Ready for you": what was prepared and not done, because a rule hands it to the person (contract section 2, HandOff). It
// is copied or opened in the mail program from here; nothing is ever sent by this card.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';
import { copied } from './code.js';
import { previewCard, previewText } from './preview.js';

/** Longer addresses are cut by mail programs; the text is then pasted instead. */
const MAILTO_CHARS_MAX = 1_900;

/** @param {any} result @returns {boolean} */
export const isHandOff = (result) => result?.handed_off === true;

/** @param {any} handOff */
export function handOffCard(handOff) {
  const { preview } = handOff;
  const details = (handOff.details ?? []).filter((row) => row && typeof row.label === 'string');
  const text = preview ? previewText(preview) : details.map(({ label, value }) => `${label}: ${value}`).join('\n');
  const address = preview?.kind === 'email' ? mailto(preview) : null;
  const copy = element('button', { type: 'button', class: 'primary', onclick: () => copied(copyLabel, text) });
  const copyLabel = element('span', {}, t('chat.copy'));
  copy.append(icon('copy'), copyLabel);
  return element(
    'div',
    { class: 'card handoff', role: 'group', 'aria-label': t('chat.ready') },
    element('p', { class: 'card-title' }, icon('circle-check'), element('b', {}, t('chat.ready'))),
    element('p', { class: 'quiet' }, t('chat.ready.why', { name: handOff.label || handOff.title || '' })),
    preview ? previewCard(preview) : detailList(handOff.title, details),
    element('div', { class: 'row answers' }, text ? copy : null, address ? element('a', { class: 'button', href: address }, icon('mail'), t('chat.ready.mail')) : null),
  );
}

function detailList(title, details) {
  const rows = details.flatMap(({ label, value }) => [element('dt', {}, label), element('dd', { class: 'as-written' }, String(value))]);
  return element('div', { class: 'preview' }, title ? element('b', {}, title) : null, rows.length ? element('dl', {}, ...rows) : null);
}

/**
 * The address that opens the mail program with this email in it (RFC 6068). Every part is encoded, so that a recipient
 * can add no header and no other recipient than those shown.
 * @param {import('./preview.js').ActionPreview} preview
 */
export function mailto({ fields = [], body = '' }) {
  const value = (name) => fields.filter(({ label }) => label === name).map((field) => [].concat(field.value).join(',')).join(',');
  const people = (name) => value(name).split(',').map((one) => encodeURIComponent(one.trim()).replaceAll('%40', '@')).filter(Boolean).join(',');
  const query = [['cc', people('Cc')], ['bcc', people('Bcc')], ['subject', encodeURIComponent(value('Subject'))]];
  const written = ([name, text]) => (text ? `${name}=${text}` : '');
  const address = (more) => {
    const parts = [...query, ...more].map(written).filter(Boolean).join('&');
    return `mailto:${people('To')}${parts ? `?${parts}` : ''}`;
  };
  const whole = address([['body', encodeURIComponent(body.replace(/\r?\n/g, '\r\n'))]]);
  return whole.length <= MAILTO_CHARS_MAX ? whole : address([]);
}
