// The way out and in: everything that is remembered as a file, and memories from a document, which wait for review.

import { card, choice, during, freshId, line, outcome } from '../../shell/controls.js';
import { baseName, element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { hashOf } from '../../shell/router.js';
import { t } from '../../text/index.js';
import { scopePicker } from './scope.js';

/** What can be read (contract section 7, `POST /api/memories/import`). */
const KINDS = '.pdf,.txt,.md,.docx';

/**
 * @param {import('./index.js').Memory} memory
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function filesPage(memory, place, signal) {
  const scopes = (await memory.api.get('/api/memories/scopes', signal)) ?? [];
  place.append(exporting(memory), importing(memory, scopes));
}

function exporting(memory) {
  const id = freshId('format');
  let format = 'markdown';
  const said = outcome();
  const result = element('p', { class: 'row', hidden: true });
  const list = choice(format, [{ value: 'markdown', label: t('memory.export.markdown') }, { value: 'sqlite', label: t('memory.export.sqlite') }], (value) => (format = value), { id });
  const button = element('button', { type: 'button', class: 'primary', onclick: async () => {
    const made = await during(button, said.say, t('memory.export.working'), () => memory.api.call('POST', '/api/memories/export', { format }));
    if (!made) return;
    said.say('good', t('memory.export.done', { memories: made.memories, insights: made.about_you, waiting: made.waiting }));
    const name = `exports/${baseName(made.name)}`;
    result.hidden = false;
    result.replaceChildren(element('a', { class: 'button', href: memory.api.fileAddress(name), download: baseName(made.name) }, icon('download'), baseName(made.name)), element('code', {}, made.path));
  } }, icon('download'), t('memory.export.do'));
  return card(t('memory.export'), line({ label: t('memory.export.format'), description: t('memory.export.text'), id, control: element('div', { class: 'row' }, list, button), below: element('div', {}, said.node, result) }));
}

function importing(memory, scopes) {
  const said = outcome();
  const id = freshId('document');
  const picker = scopePicker(scopes, 'personal');
  const bar = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('memory.import.sending') });
  const file = element('input', { id, type: 'file', accept: KINDS });
  const review = element('a', { class: 'button', href: hashOf('memory', 'review'), hidden: true }, t('memory.import.review'));
  const send = async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return file.focus();
    const scope = picker.value() || 'personal';
    const form = new FormData();
    form.append('file', chosen, chosen.name);
    bar.hidden = false;
    const done = await during(button, said.say, t('memory.import.working'), () => memory.api.upload(`/api/memories/import?scope=${encodeURIComponent(scope)}`, form, (share) => (bar.value = share)).answer);
    bar.hidden = true;
    if (!done) return undefined;
    said.say('good', t('memory.import.done', { count: done.pending, skipped: done.skipped }));
    review.hidden = done.pending === 0;
    file.value = '';
    return memory.countWaiting();
  };
  const button = element('button', { type: 'submit', class: 'primary' }, t('memory.import.do'));
  return card(t('memory.import'), element('form', { class: 'memory-import', onsubmit: (event) => {
    event.preventDefault();
    send();
  } }, element('p', { class: 'quiet' }, t('memory.import.text')), element('label', { for: id }, t('memory.import.file')), file, picker.node, element('div', { class: 'row' }, button, review), bar, said.node));
}
