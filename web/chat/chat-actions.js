// Renames and deletes the chat on the screen. Nothing is deleted without a second, named question.

import { $, element } from '../shell/dom.js';

const addressOf = (id) => `/api/sessions/${encodeURIComponent(id)}`;

export class ChatActions {
  /** `on`: `current()` answers `{id, title}`; `changed()`, `gone(id)` and `problem(text)` are told what came of it. */
  constructor(api, on) {
    this.api = api;
    this.on = on;
    $('rename').addEventListener('click', () => this.beginRename());
    $('rename-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.rename();
    });
    $('rename-form').addEventListener('keydown', (event) => event.key === 'Escape' && this.endRename());
    $('keep-title').addEventListener('click', () => this.endRename());
    $('delete').addEventListener('click', () => this.askDelete());
    $('keep').addEventListener('click', () => $('delete-dialog').close());
    $('delete-yes').addEventListener('click', () => this.delete());
  }

  /** Whether there is a stored chat to act on. A change of the chat ends what was begun for another one. */
  show(possible) {
    const { id } = this.on.current();
    if (id !== this.id) {
      this.id = id;
      $('rename-form').hidden = true;
      $('title').hidden = false;
      if ($('delete-dialog').open) $('delete-dialog').close();
    }
    this.possible = possible;
    $('chat-actions').hidden = !possible || !$('rename-form').hidden;
  }

  beginRename() {
    $('new-title').value = this.on.current().title;
    this.renaming(true);
    $('new-title').select();
  }

  endRename() {
    this.renaming(false);
    $('rename').focus();
  }

  renaming(begun) {
    $('rename-form').hidden = !begun;
    $('title').hidden = begun;
    $('chat-actions').hidden = begun || !this.possible;
  }

  async rename() {
    const title = $('new-title').value.trim();
    const { id, title: old } = this.on.current();
    this.endRename();
    if (title === '' || title === old) return;
    await this.tried(() => this.api.call('PATCH', addressOf(id), { title }));
    this.on.changed();
  }

  askDelete() {
    $('delete-question').replaceChildren('Delete ', element('b', {}, this.on.current().title), '? Its messages cannot be brought back.');
    $('delete-dialog').showModal();
    $('keep').focus();
  }

  async delete() {
    const { id } = this.on.current();
    $('delete-dialog').close();
    const done = await this.tried(() => this.api.call('DELETE', addressOf(id)), 404); // 404: somebody was quicker
    if (done) this.on.gone(id);
  }

  async tried(job, fine = null) {
    try {
      await job();
      return true;
    } catch (error) {
      if (error.status === fine) return true;
      this.on.problem(error.message);
      return false;
    }
  }
}
