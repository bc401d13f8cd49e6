// The message box: what is written, for which chat, and the buttons that send, add, stop, attach and begin an incognito
// chat. What was written and not sent stays with its chat.

import { $ } from '../shell/dom.js';
import { t } from '../text/index.js';
import { Attachments } from './attachments.js';
import { drawMeter } from './meter.js';

const STOP_AGAIN_MS = 1_000;

export class Composer {
  /**
   * @param {import('../shell/connection.js').Api} api
   * @param {{ send: (text: string, names: string[]) => void, stop: () => boolean, incognito: (on: boolean) => void, usage: () => void, problem: (text: string) => void }} on
   */
  constructor(api, on) {
    this.on = on;
    /** @type {WeakMap<any, string>} */
    this.drafts = new WeakMap();
    this.chat = null;
    this.attachments = new Attachments(api, $('composer').closest('main'), { problem: on.problem, changed: () => this.ready() });
    $('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit();
    });
    $('message').addEventListener('keydown', (event) => this.key(event));
    $('message').addEventListener('input', () => this.ready());
    $('stop').addEventListener('click', () => this.stop());
    $('incognito').addEventListener('click', () => on.incognito($('incognito').getAttribute('aria-pressed') !== 'true'));
    $('context').addEventListener('click', () => on.usage());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === 'Escape' && !$('stop').hidden) {
      event.preventDefault();
      this.stop();
    }
  }

  submit() {
    const text = $('message').value.trim();
    if (this.attachments.uploading) return this.on.problem(t('chat.attach.wait'));
    const names = this.attachments.names();
    if (!text && names.length === 0) return undefined;
    $('message').value = '';
    this.attachments.clear();
    return this.on.send(text, names);
  }

  stop() {
    $('stop').disabled = true;
    if (!this.on.stop()) this.on.problem(t('chat.stop.unheard'));
    setTimeout(() => ($('stop').disabled = false), STOP_AGAIN_MS);
  }

  /** Another chat is on the screen. @param {any} chat */
  show(chat) {
    if (this.chat) this.drafts.set(this.chat, $('message').value);
    if (this.chat !== chat) $('message').value = this.drafts.get(chat) ?? '';
    this.chat = chat;
    this.draw();
  }

  draw() {
    const { chat } = this;
    const running = chat.live !== null;
    $('stop').hidden = !running;
    const label = t(running ? 'chat.send.add' : 'chat.send');
    $('send').setAttribute('aria-label', label);
    $('send').title = label;
    $('message').placeholder = t(running ? 'chat.write.add' : 'chat.write');
    const isNew = chat.id === null && chat.items.length === 0;
    $('incognito').hidden = !isNew;
    $('incognito').setAttribute('aria-pressed', String(chat.incognito));
    $('incognito-note').hidden = !chat.incognito;
    drawMeter(chat);
    this.ready();
  }

  /** Whether there is something to send. */
  ready() {
    const empty = $('message').value.trim() === '' && this.attachments.files.length === 0;
    $('send').classList.toggle('idle', empty);
  }
}
