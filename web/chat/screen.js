// The chats: wires the controls to the engine. State lives in `conversation.js`, drawing in `view.js`, the controls are
// made in `page.js`; this file only passes things on. The screen stays when it is left, so replies go on being heard.

import { $, element } from '../shell/dom.js';
import { Attachments } from './attachments.js';
import { ChatActions } from './chat-actions.js';
import { Conversations } from './conversation.js';
import { ModelHint } from './model-hint.js';
import { heading, page } from './page.js';
import { ChatView } from './view.js';

const LIST_AFTER_MS = 150;
const LOADS_MAX = 3;
const TITLE_CHARS_SHOWN = 60;

/** Opens the screen. @param {import('../shell/app.js').Visit} visit */
export async function enter({ app, stage, heading: bar, place }) {
  stage.append(...page());
  bar.append(...heading());
  const screen = new ChatScreen(app);
  await screen.start(place);
  return { moved: (to) => screen.moved(to) };
}

class ChatScreen {
  /** @param {import('../shell/app.js').App} app */
  constructor(app) {
    this.app = app;
    this.api = app.api;
    this.live = app.live;
    this.chats = new Conversations();
    this.rows = [];
    this.current = this.chats.draft;
    this.count = 0;
    this.prefix = crypto.randomUUID();
    this.view = new ChatView($('log'), () => this.assistant, {
      fileAddress: (name) => this.api.fileAddress(name),
      answer: (approval, decision) => this.answer(approval, decision),
      resend: (item) => this.resend(item),
    });
    this.attachments = new Attachments(this.api, $('files'), $('attachments'), (problem) => this.problem(problem));
    this.hint = new ModelHint(this.api, { hint: $('hint'), text: $('hint-text'), form: $('pick-model'), choice: $('model') });
  }

  get assistant() {
    return this.app.store.get('assistant');
  }

  /** @param {import('../shell/router.js').Place} place */
  async start(place) {
    this.bind();
    this.hint.look(this.app.store.get('bootstrap'));
    await this.refreshList();
    await this.open(place.rest[0] ?? null);
  }

  /** @param {import('../shell/router.js').Place} place */
  moved({ rest: [id = null] }) {
    if (id !== this.current.id) this.open(id);
    else this.heading();
    $('message').focus();
  }

  bind() {
    $('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.submit();
    });
    $('message').addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.submit();
    });
    $('stop').addEventListener('click', () => this.stop());
    $('new-chat').addEventListener('click', () => this.open(null));
    this.chatActions = new ChatActions(this.api, {
      current: () => ({ id: this.current.id, title: $('title').textContent }),
      changed: () => this.refreshList(),
      gone: (id) => this.gone(id),
      problem: (text) => this.problem(text),
    });
    $('show-chats').addEventListener('click', () => this.showChats(!document.body.classList.contains('chats-shown')));
    this.app.on('frame', (frame) => this.hear(frame));
    this.app.on('resync', () => this.resync());
    this.app.on('caughtUp', () => this.caughtUp());
  }

  // The link

  resync() {
    this.resynced = true;
    this.chats.forget();
    this.refreshList();
    this.load(this.current);
  }

  /**
   * All that was missed has been heard. What is still unconfirmed never arrived and is sent again; after lost frames
   * nobody can know, so the person decides.
   */
  caughtUp() {
    for (const { chat, item } of this.chats.unconfirmed()) {
      if (this.resynced) {
        item.state = 'unsure';
        if (chat === this.current) this.view.touch(item);
      } else {
        this.transmit(chat, item);
      }
    }
    // An answer that did arrive has come back by now. The engine takes each question's first answer only.
    for (const { approvalId, decision } of this.chats.unheardAnswers()) {
      this.live.send({ type: 'approval.respond', approval_id: approvalId, decision });
    }
    this.resynced = false;
  }

  hear(frame) {
    const change = this.chats.hear(frame);
    if (frame.type === 'error' && !frame.session_id) this.problem(frame.message);
    if (frame.type?.includes('.') && !change) this.hearNews(frame);
    if (!change) return;
    if (change.adopted && change.chat === this.current) this.show(change.chat);
    else if (change.chat === this.current) this.view.touch(change.item, change.block);
    if (['session', 'approval_request', 'approval.ack'].includes(frame.type) || change.ended) this.refreshListSoon();
    const more = change.unseen ? change.chat.loaded : change.ended && !change.item.whole;
    if (more) this.load(change.chat, true);
    if (change.chat === this.current) {
      this.announce(frame, change);
      this.controls();
    }
  }

  hearNews({ type, data }) {
    if (type === 'session.deleted') {
      this.gone(data.session_id);
    }
    if (type.startsWith('session.')) this.refreshListSoon();
    if (type === 'config.updated') this.hint.look();
  }

  /** A chat was deleted, here or elsewhere. */
  gone(id) {
    this.chats.chats.delete(id);
    if (this.current.id === id) this.open(null);
    this.refreshListSoon();
  }

  /** Words for those who do not see the page change. */
  announce(frame, change) {
    const news = {
      session: `${this.assistant} is replying`,
      approval_request: `${this.assistant} asks for your OK`,
      done: change.item?.state === 'stopped' ? 'The reply was stopped' : 'The reply is complete',
    }[frame.type];
    if (news) $('news').textContent = news;
  }

  // Chats

  refreshListSoon() {
    this.listTimer ??= setTimeout(() => {
      this.listTimer = undefined;
      this.refreshList();
    }, LIST_AFTER_MS);
  }

  async refreshList() {
    try {
      this.rows = (await this.api.get('/api/sessions?limit=100')) ?? [];
    } catch (error) {
      return this.problem(error.message);
    }
    const rows = this.rows.filter((row) => !row.incognito);
    $('chat-list').replaceChildren(...rows.map((row) => this.listRow(row)));
    $('no-chats').hidden = rows.length > 0;
    return this.heading();
  }

  listRow(row) {
    const where = row.channel && row.channel !== 'desktop' ? element('span', { class: 'quiet' }, ` ${row.channel}`) : null;
    const read = row.untrusted ? element('span', { class: 'quiet' }, ` · read ${row.untrusted}`) : null;
    const asks = this.chats.asks(row.id) ? element('span', { class: 'asks' }, 'waits for you') : null;
    const attributes = { type: 'button', 'data-id': row.id, onclick: () => this.open(row.id) };
    const name = element('span', { class: 'name' }, row.title || 'Untitled chat', where, read);
    return element('li', {}, element('button', attributes, name, asks));
  }

  heading() {
    const title = this.rows.find((row) => row.id === this.current.id)?.title || (this.current.id ? this.firstWords() : 'New chat');
    $('title').textContent = title;
    if (this.app.frame.name === 'chat') this.app.frame.title(title);
    this.chatActions?.show(this.rows.some((row) => row.id === this.current.id));
    for (const button of $('chat-list').querySelectorAll('button')) {
      if (button.dataset.id === this.current.id) button.setAttribute('aria-current', 'page');
      else button.removeAttribute('aria-current');
    }
  }

  /** The name of a chat that the list does not have yet. */
  firstWords() {
    return this.current.items.find((item) => item.kind === 'user')?.text.slice(0, TITLE_CHARS_SHOWN) || 'Chat';
  }

  async open(id) {
    const chat = id === null && this.current.id === null ? this.current : id === null ? this.chats.newDraft() : this.chats.chat(id);
    this.problem('');
    this.show(chat);
    this.showChats(false);
    $('message').focus();
    if (!chat.loaded) await this.load(chat);
  }

  show(chat) {
    this.current = chat;
    if (this.app.frame.name === 'chat') this.app.router.note('chat', ...(chat.id ? [chat.id] : []));
    this.view.show(chat);
    this.heading();
    this.controls();
  }

  /** Fetches the rows of a chat; again when something of it began or ended meanwhile. */
  async load(chat, anew = false) {
    if (chat.id === null || (chat.loaded && !anew)) return;
    try {
      for (let tries = 0; tries < LOADS_MAX; tries += 1) {
        const before = chat.changes;
        const rows = await this.api.get(`/api/sessions/${encodeURIComponent(chat.id)}/messages?limit=500`);
        if (chat.changes !== before && tries + 1 < LOADS_MAX) continue;
        this.chats.load(chat, rows ?? []);
        break;
      }
    } catch (error) {
      if (chat === this.current) this.problem(error.status === 404 ? 'This chat is no longer there.' : error.message);
      return;
    }
    if (chat === this.current) {
      this.view.show(chat);
      this.controls();
    }
  }

  // What the person does

  submit() {
    const text = $('message').value.trim();
    if (this.attachments.uploading) return this.problem('A file is still on its way. Try again in a moment.');
    const names = this.attachments.names();
    if (!text && names.length === 0) return undefined;
    this.problem('');
    this.count += 1;
    const steer = this.chats.running(this.current) !== null && names.length === 0;
    const item = this.chats.addMessage(this.current, `${this.prefix}-${this.count}`, text, names, steer);
    this.transmit(this.current, item);
    this.view.touch(item);
    $('log').scrollTop = $('log').scrollHeight;
    $('message').value = '';
    this.attachments.clear();
    return this.controls();
  }

  /** Without a connection it waits as `sending`, and goes out when the connection is back. */
  transmit(chat, item) {
    const frame = { type: item.steer && chat.id ? 'chat.steer' : 'chat.send', text: item.text, client_id: item.clientId };
    if (chat.id) frame.session_id = chat.id;
    if (item.attachments.length) frame.attachments = item.attachments;
    this.live.send(frame);
  }

  resend(item) {
    item.state = 'sending';
    item.steer = false;
    this.transmit(this.current, item);
    this.view.touch(item);
  }

  async stop() {
    if (this.current.id === null) return;
    $('stop').disabled = true;
    if (!this.live.send({ type: 'chat.cancel', session_id: this.current.id })) this.problem('There is no connection to the engine.');
    setTimeout(() => ($('stop').disabled = false), 1000);
  }

  async answer(approval, decision) {
    const draw = (change) => change && change.chat === this.current && this.view.touch(change.item, change.block);
    draw(this.chats.answered(approval.approval_id, 'sent', decision));
    $('message').focus();
    if (this.live.send({ type: 'approval.respond', approval_id: approval.approval_id, decision })) return;
    try {
      await this.api.call('POST', '/api/approvals', { approval_id: approval.approval_id, decision });
      draw(this.chats.answered(approval.approval_id, 'answered'));
    } catch (error) {
      draw(this.chats.answered(approval.approval_id, error.status === 404 ? 'gone' : 'open'));
      this.problem(error.message);
    }
  }

  // Controls

  controls() {
    const running = this.chats.running(this.current) !== null;
    $('stop').hidden = !running;
    $('send').textContent = running ? 'Add' : 'Send';
    $('message').placeholder = running ? 'Add to this reply' : 'Write a message';
    const usage = this.current.usage;
    const known = typeof usage?.context_percent === 'number';
    $('context').hidden = !known;
    if (known) {
      $('context-label').textContent = `Context ${usage.context_percent}%`;
      $('context-meter').value = usage.context_percent;
      $('context-warning').textContent = usage.context_warning ?? '';
    }
  }

  /** On a narrow window the list lies over the conversation. */
  showChats(shown) {
    document.body.classList.toggle('chats-shown', shown);
    $('show-chats').setAttribute('aria-expanded', String(shown));
  }

  problem(text) {
    $('problem').textContent = text;
  }
}
