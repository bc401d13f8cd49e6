// What will be sent, changed or deleted, the way a person reads it (contract section 10, ActionPreview). The engine builds
// it from the call; here it is only laid out.

import { element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { has, t } from '../text/index.js';
import { plainly } from './plain.js';

/** @typedef {{ kind: string, title: string, fields?: { label: string, value: unknown }[], body?: string }} ActionPreview */

const ICONS = { email: 'mail', message: 'message-circle', post: 'send', delete: 'trash', trash: 'trash', purchase: 'wallet', action: 'zap' };

/** @param {ActionPreview} preview */
export function previewCard({ kind, title, fields = [], body }) {
  const rows = fields.flatMap(({ label, value }) => [element('dt', {}, labelOf(label)), element('dd', {}, plainly(valueOf(value)))]);
  return element(
    'div',
    { class: 'preview', 'data-kind': Object.hasOwn(ICONS, kind) ? kind : 'action' },
    element('p', { class: 'preview-title' }, icon(ICONS[kind] ?? 'zap'), element('b', {}, title ? plainly(title) : t('chat.preview'))),
    rows.length ? element('dl', {}, ...rows) : null,
    body ? element('p', { class: 'preview-body as-written', tabindex: 0, role: 'region', 'aria-label': t('chat.preview.body') }, plainly(body)) : null,
  );
}

/** The engine's labels, in the language of the window. @param {string} label */
const labelOf = (label) => (has(`preview.${label}`) ? t(/** @type {any} */ (`preview.${label}`)) : label);
const valueOf = (value) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));

/** The same as lines of text, to be pasted elsewhere. @param {ActionPreview} preview */
export function previewText({ fields = [], body }) {
  const lines = fields.map(({ label, value }) => `${labelOf(label)}: ${valueOf(value)}`);
  return [lines.join('\n'), body].filter(Boolean).join('\n\n');
}
