// Files on their way to the engine and those that go with the next message: chosen, dropped or pasted. A file is only ever
// named as the engine named it; it is shown without its folder, a picture also as a picture.

import { $, baseName, element } from '../shell/dom.js';
import { icon } from '../shell/icons.js';
import { t } from '../text/index.js';

const FILES_MAX = 20;
const PICTURE = /^image\/(png|jpe?g|gif|webp)$/;

export class Attachments {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {HTMLElement} place where files may be dropped
   * @param {{ problem: (text: string) => void, changed: () => void }} on
   */
  constructor(api, place, on) {
    this.api = api;
    this.on = on;
    /** @type {{ name: string | null, label: string, share: number, picture: string | null, abort?: () => void }[]} */
    this.files = [];
    this.list = $('attachments');
    $('attach').addEventListener('click', () => $('files').click());
    $('files').addEventListener('change', () => this.add([...$('files').files]));
    $('composer').addEventListener('paste', (event) => {
      const files = [...event.clipboardData.files];
      if (files.length === 0) return;
      event.preventDefault(); // a picture comes with its address as text
      this.add(files);
    });
    this.takeDrops(place);
  }

  /** @param {HTMLElement} place */
  takeDrops(place) {
    let depth = 0;
    const show = (shown) => {
      depth = shown ? depth : 0;
      $('drop').hidden = !shown;
    };
    const isFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
    place.addEventListener('dragenter', (event) => {
      if (!isFiles(event)) return;
      depth += 1;
      show(true);
    });
    place.addEventListener('dragleave', () => {
      depth -= 1;
      if (depth <= 0) show(false);
    });
    place.addEventListener('dragover', (event) => isFiles(event) && event.preventDefault());
    place.addEventListener('drop', (event) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      show(false);
      this.add([...event.dataTransfer.files]);
    });
  }

  get uploading() {
    return this.files.some((file) => file.name === null);
  }

  names() {
    return this.files.map((file) => file.name);
  }

  /** The files went with a message; they stay with the engine. */
  clear() {
    for (const file of this.files) if (file.picture) URL.revokeObjectURL(file.picture);
    this.files = [];
    this.draw();
  }

  add(chosen) {
    $('files').value = '';
    if (this.files.length + chosen.length > FILES_MAX) return this.on.problem(t('chat.attach.tooMany', { count: FILES_MAX }));
    for (const file of chosen) this.upload(file);
    return undefined;
  }

  /** @param {File} chosen */
  async upload(chosen) {
    const picture = PICTURE.test(chosen.type) ? URL.createObjectURL(chosen) : null;
    const file = { name: null, label: chosen.name || t('chat.attach.pasted'), share: 0, picture, abort: /** @type {(() => void) | undefined} */ (undefined) };
    this.files.push(file);
    this.draw();
    const form = new FormData();
    form.append('file', chosen, file.label);
    try {
      const sending = this.api.upload('/api/files', form, (share) => this.moved(file, share));
      file.abort = sending.abort;
      const stored = await sending.answer;
      Object.assign(file, { name: stored.name, label: baseName(stored.name) });
    } catch (error) {
      const wanted = this.files.includes(file);
      this.files = this.files.filter((other) => other !== file);
      if (wanted) this.on.problem(t('chat.attach.failed', { name: file.label, problem: error.message }));
    }
    this.draw();
  }

  moved(file, share) {
    file.share = share;
    const bar = this.list.querySelector(`progress[data-at="${this.files.indexOf(file)}"]`);
    if (bar) bar.value = share;
  }

  async remove(file) {
    this.files = this.files.filter((other) => other !== file);
    if (file.picture) URL.revokeObjectURL(file.picture);
    this.draw();
    $('message').focus();
    if (file.name === null) return file.abort?.();
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    return this.api.call('DELETE', `/api/files/${path}`).catch((error) => this.on.problem(error.message));
  }

  draw() {
    this.list.hidden = this.files.length === 0;
    this.list.replaceChildren(...this.files.map((file, index) => {
      const label = t('chat.attach.remove', { name: file.label });
      return element('li', { class: file.name === null ? 'uploading' : null },
        file.picture ? element('img', { src: file.picture, alt: '' }) : icon('file-text'),
        element('span', {}, file.label),
        file.name === null ? element('progress', { max: 1, value: file.share, 'data-at': index, 'aria-label': t('chat.attach.sending', { name: file.label }) }) : null,
        element('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick: () => this.remove(file) }, icon('x')));
    }));
    this.on.changed();
  }
}
