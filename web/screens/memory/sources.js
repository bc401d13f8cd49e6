// The places a memory was learned from. A chat opens at the sentence; a page of an app opens outside; a file is the stored
// one. Addresses come from the engine and are treated as words of others: only web addresses become links.

import { element, baseName, spoken } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { hashOf } from '../../shell/router.js';
import { outsideLink, safeAddress, whereTo } from '../../chat/links.js';
import { plainly } from '../../chat/plain.js';
import { ago, at, t } from '../../text/index.js';
import { sourceName } from './words.js';

const ICONS = { message: 'message-circle', email: 'mail', app: 'plug', note: 'book-open', file: 'file-text' };

/** The address of a chat, opened at a message and the sentence in it. @param {{ session_id: string, message_id?: string | null, quote?: string | null }} ref */
export function chatAddress({ session_id: session, message_id: message, quote }) {
  const query = new URLSearchParams();
  if (message) query.set('message', message);
  if (message && quote) query.set('quote', quote);
  return `${hashOf('chat', session)}${query.size ? `?${query}` : ''}`;
}

/**
 * @param {any[]} links SourceLink
 * @param {(name: string) => string} fileAddress
 */
export function sourceList(links, fileAddress) {
  return element('ul', { class: 'memory-sources' }, ...links.map((link) => element('li', {}, ...source(link, fileAddress))));
}

/** @param {any} link @param {(name: string) => string} fileAddress */
function source({ source: name, ref, at: time }, fileAddress) {
  const kind = Object.hasOwn(ICONS, ref?.kind) ? ref.kind : null;
  const place = ref ? where(ref, fileAddress) : null;
  return [
    icon(kind ? ICONS[kind] : 'info'),
    element('div', {},
      element('span', {}, sourceName(name)), time ? element('time', { class: 'quiet', datetime: time, title: at(time) }, ` · ${ago(time)}`) : null,
      ref?.quote ? element('blockquote', { class: 'as-written' }, plainly(ref.quote)) : null,
      place ? element('p', { class: 'row' }, ...place) : null),
  ];
}

function where(ref, fileAddress) {
  const parts = [];
  const url = ref.url ? safeAddress(ref.url) : null;
  if (url) {
    const link = outsideLink(url);
    link.append(ref.title || spoken(ref.app ?? '') || t('memory.source.open'));
    parts.push(link, whereTo(link.textContent, url) ?? '');
  } else if (ref.title || ref.path) {
    parts.push(element('span', {}, plainly(ref.title || ref.path)));
  }
  if (ref.kind === 'file' && ref.file) parts.push(element('a', { href: fileAddress(ref.file), download: baseName(ref.file) }, baseName(ref.file)));
  if (ref.session_id) parts.push(element('a', { href: chatAddress(ref) }, t(ref.message_id ? 'memory.source.sentence' : 'memory.source.chat')));
  return parts;
}
