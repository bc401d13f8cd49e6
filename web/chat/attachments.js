// Files on their way to the engine and those that go with the next message. A file is only ever named as the engine
// named it; it is shown without its folder.

import { baseName, element } from '../shell/dom.js';

const FILES_MAX = 20;

export class Attachments {
  /** `problem(text)` shows what went wrong. */
  constructor(api, input, list, problem) {
    this.api = api;
    this.input = input;
    this.list = list;
    this.problem = problem;
    this.files = [];
    input.addEventListener('change', () => this.add([...input.files]));
    const form = list.closest('form');
    form.addEventListener('dragover', (event) => event.preventDefault());
    form.addEventListener('drop', (event) => {
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
    form.addEventListener('paste', (event) => this.add([...event.clipboardData.files]));
  }

  get uploading() {
    return this.files.some((file) => file.name === null);
  }

  names() {
    return this.files.map((file) => file.name);
  }

  clear() {
    this.files = [];
    this.draw();
  }

  add(chosen) {
    this.input.value = '';
    if (this.files.length + chosen.length > FILES_MAX) return this.problem(`At most ${FILES_MAX} files go with one message.`);
    return Promise.all(chosen.map((file) => this.upload(file)));
  }

  async upload(chosen) {
    const file = { name: null, label: chosen.name };
    this.files.push(file);
    this.draw();
    const form = new FormData();
    form.append('file', chosen);
    try {
      const stored = await this.api.call('POST', '/api/files', form);
      Object.assign(file, { name: stored.name, label: baseName(stored.name) });
    } catch (error) {
      this.files = this.files.filter((other) => other !== file);
      this.problem(`${chosen.name} was not attached. ${error.message}`);
    }
    this.draw();
  }

  async remove(file) {
    this.files = this.files.filter((other) => other !== file);
    this.draw();
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    await this.api.call('DELETE', `/api/files/${path}`).catch((error) => this.problem(error.message));
  }

  draw() {
    this.list.hidden = this.files.length === 0;
    this.list.replaceChildren(...this.files.map((file) => {
      const label = `Remove ${file.label}`;
      const remove = { type: 'button', 'aria-label': label, title: label, onclick: () => this.remove(file) };
      return element('li', {}, file.label, file.name === null ? ' (uploading…)' : element('button', remove, '×'));
    }));
  }
}
