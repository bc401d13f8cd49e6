// Below a reply: where it looked, what it had in mind, and what turned out not to have worked. All of it is what the engine
// recorded; the window opens a source and nothing more.

import { baseName, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { hashOf } from '../shell/router.js';
import { t } from '../text/index.js';
import { outsideLink, safeAddress, shownAddress } from './links.js';

const ICONS = { web: 'globe', email: 'mail', file: 'file-text', app: 'plug' };

/**
 * @param {any} item a reply
 * @param {(name: string) => string} fileAddress
 */
export function sourceList(item, fileAddress) {
  const parts = [];
  for (const check of item.checks ?? []) {
    if (check.message) parts.push(element('p', { class: 'notice' }, icon('triangle-alert'), element('span', {}, check.message)));
  }
  if (item.sources.length) {
    parts.push(folded('sources', t('chat.sources', { count: item.sources.length }), item.sources.map((source) => sourceChip(source, fileAddress))));
  }
  if (item.memories.length) {
    parts.push(folded('memories', t('chat.memories', { count: item.memories.length }), item.memories.map(memoryRow)));
  }
  return parts;
}

const folded = (name, label, rows) => element('details', { class: `refs ${name}` }, element('summary', {}, icon(name === 'sources' ? 'book-open' : 'brain'), label),
  element('ul', {}, ...rows.map((row) => element('li', {}, row))));

function sourceChip(source, fileAddress) {
  const kind = Object.hasOwn(ICONS, source.kind) ? source.kind : 'app';
  const title = source.title || source.file || source.url || source.app || t('chat.source');
  const url = source.url ? safeAddress(source.url) : null;
  const where = [source.from, url && kind === 'web' ? shownAddress(url) : source.url && !url ? source.url : null, source.folder, kind === 'app' ? null : source.app].filter(Boolean);
  const link = url ? outsideLink(url) : kind === 'file' && source.file ? element('a', { href: fileAddress(source.file), download: baseName(source.file) }) : element('span');
  link.append(title);
  return element('span', { class: 'ref' }, icon(ICONS[kind]), link, element('span', { class: 'quiet' }, where.join(' · ')),
    source.snippet ? element('span', { class: 'quiet snippet' }, source.snippet) : null);
}

function memoryRow(memory) {
  const asked = memory.via === 'tool' ? element('span', { class: 'quiet' }, t('chat.memory.lookup')) : null;
  return element('span', { class: 'ref' }, icon(memory.kind === 'insight' ? 'user' : 'brain'), element('span', {}, memory.text), asked);
}

/**
 * "Remembered: …" with Undo, or "Waiting for your review: …" (contract section 1, `memory.updated`).
 * @param {any} item
 * @param {(item: any) => void} undo
 */
export function memoryNote(item, undo) {
  const { memory, state } = item;
  const waits = memory.status === 'pending';
  const text = state === 'undone' ? t('chat.memory.undone') : t(waits ? 'chat.memory.review' : 'chat.memory.kept', { fact: memory.content ?? '' });
  const review = element('a', { class: 'small button', href: hashOf('memory', 'review') }, t('chat.memory.open'));
  const back = element('button', { type: 'button', class: 'small', disabled: state === 'busy', onclick: () => undo(item) }, t('chat.undo'));
  return element('p', { class: 'memory-note' }, icon('brain'), element('span', {}, text), state === 'undone' ? null : waits ? review : back);
}
