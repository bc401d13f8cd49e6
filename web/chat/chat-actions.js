// Renames and deletes the chat on the screen. Nothing is deleted without a second, named question.

import { path } from '../shell/connection.js';
import { confirm } from '../shell/dialogs.js';
import { $ } from '../shell/dom.js';
import { t } from '../text/index.js';

export class ChatActions {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ current: () => { id: string, title: string }, changed: () => void, gone: (id: string) => void, problem: (text: string) => void }} on
   */
  constructor(api, on) {
    this.api = api;
    this.on = on;
    $('rename').addEventListener('click', () => this.beginRename());
    $('title').addEventListener('dblclick', () => this.possible && this.beginRename());
    $('rename-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.rename();
    });
    $('rename-form').addEventListener('keydown', (event) => event.key === 'Escape' && this.endRename());
    $('keep-title').addEventListener('click', () => this.endRename());
    $('delete').addEventListener('click', () => this.delete());
  }

  /** Whether there is a stored chat to act on. A change of the chat ends what was begun for another one. */
  show(possible) {
    const { id } = this.on.current();
    if (id !== this.id) {
      this.id = id;
      $('rename-form').hidden = true;
      $('title').hidden = false;
    }
    this.possible = possible;
    $('chat-actions').hidden = !possible || !$('rename-form').hidden;
  }

  beginRename() {
    if (!this.possible) return;
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
    await this.tried(() => this.api.call('PATCH', path`/api/sessions/${id}`, { title }));
    this.on.changed();
  }

  async delete() {
    const { id, title } = this.on.current();
    if (!this.possible || !(await confirm(t('chat.delete.question', { title }), t('chat.delete.yes'), [t('chat.delete.why')]))) return;
    const done = await this.tried(() => this.api.call('DELETE', path`/api/sessions/${id}`), 404); // 404: somebody was quicker
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
