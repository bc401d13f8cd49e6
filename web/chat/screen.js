// The chats: wires the controls to the engine. State lives in `conversation.js`, drawing in `view.js`, the controls are
// made in `page.js`; this file only passes things on. The screen stays when it is left, so replies go on being heard.

import { path } from '../shell/connection.js';
import { $ } from '../shell/dom.js';
import { t } from '../text/index.js';
import { ChatDeeds } from './deeds.js';
import { asideCards } from './asides.js';
import { ChatActions } from './chat-actions.js';
import { Composer } from './composer.js';
import { Conversations } from './conversation.js';
import { HelperPanel } from './helper-panel.js';
import { ChatList } from './list.js';
import { showUsage } from './meter.js';
import { ModelHint } from './model-hint.js';
import { ModelPicker } from './model-picker.js';
import { heading, page } from './page.js';
import { prose } from './prose.js';
import { ChatSearch } from './search.js';
import { bindKeys } from './shortcuts.js';
import { ChatView } from './view.js';

const LOADS_MAX = 3;
/** Enough for the first look; the rest of a long chat follows. */
const ROWS_FIRST = 500;
const ROWS_MAX = 5_000;
const TITLE_CHARS_SHOWN = 60;
const NEWS_CHARS_MAX = 300;
/** Frames after which the list of chats may look different. */
const LISTED = new Set(['session', 'approval_request', 'approval.ack', 'rule_proposal.updated']);

/** Opens the screen. @param {import('../shell/app.js').Visit} visit */
export async function enter({ app, stage, heading: bar, place, signal }) {
  stage.append(...page());
  bar.append(...heading());
  const screen = new ChatScreen(app, signal);
  await screen.start(place);
  return { moved: (to) => screen.moved(to) };
}

class ChatScreen {
  /**
   * @param {import('../shell/app.js').App} app
   * @param {AbortSignal} signal
   */
  constructor(app, signal) {
    this.app = app;
    this.signal = signal;
    this.api = app.api;
    this.live = app.live;
    this.chats = new Conversations();
    this.current = this.chats.draft;
    this.wasRunning = false;
    this.asidesShown = '';
    this.deeds = new ChatDeeds(app, this.chats, {
      current: () => this.current,
      draw: (change) => this.drawn(change),
      problem: (text) => this.problem(text),
      asides: () => this.drawAsides(),
    });
    const { deeds } = this;
    this.view = new ChatView($('log'), () => app.store.get('assistant'), {
      fileAddress: (name) => this.api.fileAddress(name),
      isThere: (name) => this.api.hasFile(name),
      answer: (approval, decision) => this.thenWrite(deeds.answer(approval, decision)),
      respond: (undo, action) => this.thenWrite(deeds.respond(undo, action)),
      stopHelper: (helper) => deeds.stopHelper(helper),
      resend: (item) => deeds.resend(item),
      undoMemory: (item) => deeds.undoMemory(item),
      keepGoing: () => deeds.keepGoing(),
      following: (following) => ($('to-end').hidden = following),
    });
    this.helpers = new HelperPanel(this.api, {
      chat: () => this.current,
      stop: (helper) => deeds.stopHelper(helper),
      reveal: (callId) => this.revealCall(callId),
      prose: (text) => prose(text, { fileAddress: (name) => this.api.fileAddress(name) }),
    });
    this.composer = new Composer(this.api, {
      send: (text, names) => this.send(text, names),
      stop: () => this.current.id !== null && this.live.send({ type: 'chat.cancel', session_id: this.current.id }),
      incognito: (on) => this.newChat(on),
      usage: () => showUsage(this.current, this.api),
      problem: (text) => this.problem(text),
    });
    this.list = new ChatList(this.api, {
      open: (id) => this.open(id),
      asks: (id) => this.chats.asks(id),
      running: (id) => Boolean(this.chats.chats.get(id)?.live),
      drawn: () => this.heading(),
      problem: (text) => this.problem(text),
    });
    this.search = new ChatSearch(this.api, { rows: () => this.list.rows, open: (id, messageId) => this.open(id, messageId) });
    this.model = new ModelPicker(this.api, {
      current: () => ({ id: this.current.id, model: this.ownModel(), primary: app.store.get('bootstrap')?.models?.primary ?? '' }),
      pick: (model) => this.pickModel(model),
    });
    this.hint = new ModelHint(this.api, { hint: $('hint'), text: $('hint-text'), form: $('pick-model'), choice: $('model') });
  }

  /** @param {import('../shell/router.js').Place} place */
  async start(place) {
    this.bind();
    this.app.store.watch('bootstrap', (bootstrap) => {
      this.hint.look(bootstrap);
      this.model.draw();
    }, this.signal);
    await this.list.refresh();
    await this.openPlace(place);
  }

  /** @param {import('../shell/router.js').Place} place */
  moved(place) {
    const [id = null] = place.rest;
    if (id !== this.current.id || place.query.get('message')) this.openPlace(place);
    else this.heading();
    $('message').focus();
  }

  /** A chat, and where its address names one, a message in it and the words to look at. @param {import('../shell/router.js').Place} place */
  openPlace({ rest: [id = null], query }) {
    return this.open(id, query.get('message') ?? undefined, query.get('quote') ?? '');
  }

  bind() {
    $('new-chat').addEventListener('click', () => this.newChat());
    $('search-chats').addEventListener('click', () => this.search.show());
    $('to-end').addEventListener('click', () => this.view.toEnd());
    $('show-chats').addEventListener('click', () => this.showChats(!document.body.classList.contains('chats-shown')));
    this.chatActions = new ChatActions(this.api, {
      current: () => ({ id: this.current.id, title: $('title').textContent }),
      changed: () => this.list.refresh(),
      gone: (id) => this.gone(id),
      problem: (text) => this.problem(text),
    });
    this.app.on('frame', (frame) => this.hear(frame), this.signal);
    this.app.on('resync', () => this.resync(), this.signal);
    this.app.on('caughtUp', () => this.deeds.caughtUp(), this.signal);
    this.app.on('say', (text) => this.say(text), this.signal);
    addEventListener('pagehide', () => this.deeds.leave(this.current, true), { signal: this.signal });
    bindKeys({
      newChat: () => this.newChat(),
      incognito: () => this.newChat(true),
      search: () => this.search.show(),
      rename: () => this.chatActions.beginRename(),
      model: () => this.model.show(),
      attach: () => $('attach').click(),
      helpers: () => $('show-helpers').hidden || this.helpers.show(!this.helpers.shown),
      question: () => this.toQuestion(),
      write: () => $('message').focus(),
      next: (step) => this.openNeighbour(step),
    }, this.signal);
  }

  // What the engine says

  resync() {
    this.deeds.resynced = true;
    this.chats.forget();
    this.list.refresh();
    this.load(this.current);
  }

  hear(frame) {
    const change = this.chats.hear(frame);
    if (frame.type === 'error' && !frame.session_id) this.problem(frame.message);
    if (LISTED.has(frame.type) || change?.ended) this.list.refreshSoon();
    if (frame.data !== undefined) this.hearNews(frame);
    if (!change) return;
    if (change.adopted && change.chat === this.current) this.show(change.chat);
    else this.drawn(change);
    const more = change.unseen || change.report ? change.chat.loaded : change.ended && !change.item.whole;
    if (more) this.load(change.chat, true);
    if (change.chat !== this.current) return;
    const running = this.current.live !== null;
    if (running === this.wasRunning && (frame.type === 'text_delta' || frame.type === 'thinking_delta')) return;
    this.wasRunning = running;
    this.announce(frame, change);
    this.composer.draw();
  }

  /** Draws what changed, where it is on the screen. */
  drawn(change) {
    if (!change || change.chat !== this.current) return;
    if (change.item) this.view.touch(change.item, change.block);
    if (change.aside || change.ended) this.drawAsides();
    if (change.helper) this.helpers.draw();
  }

  hearNews({ type, data }) {
    if (type === 'session.deleted') this.gone(data.session_id);
    if (type === 'session.updated') {
      const row = this.list.row(data.session_id);
      if (row) Object.assign(row, data);
      if (data.session_id === this.current.id) {
        this.drawAsides();
        this.model.draw();
      }
    }
    if (type.startsWith('session.')) this.list.refreshSoon();
  }

  /** A chat was deleted, here or elsewhere. */
  gone(id) {
    this.chats.chats.delete(id);
    if (this.current.id === id) this.newChat();
    this.list.refreshSoon();
  }

  /** Words for those who do not see the page change. */
  announce(frame, change) {
    const name = this.app.store.get('assistant');
    const said = change.ended ? change.item.blocks.findLast(({ kind }) => kind === 'text')?.text.slice(0, NEWS_CHARS_MAX) ?? '' : '';
    const news = {
      session: t('chat.news.begins', { name }),
      approval_request: [t('chat.news.asks', { name }), frame.reason || frame.risk_label, frame.target, frame.warning, t('chat.news.go')].filter(Boolean).join('. '),
      undo_window: [t('chat.undo.title'), t('chat.news.go')].join('. '),
      done: change.item?.state === 'stopped' ? t('chat.news.stopped') : t('chat.news.done', { said }),
    }[frame.type];
    if (news) $('news').textContent = news;
  }

  // Which chat is shown

  heading() {
    const { id } = this.current;
    const row = this.list.row(id);
    const title = row?.title || (id || this.current.items.length ? this.firstWords() : t(this.current.incognito ? 'chat.incognito' : 'chat.new'));
    $('title').textContent = title;
    if (this.app.frame.name === 'chat') this.app.frame.title(title);
    this.chatActions?.show(Boolean(row) && !row.incognito);
    this.list.mark(id);
    this.model.draw();
    this.drawAsides();
  }

  /** The name of a chat that the list does not have yet. */
  firstWords() {
    return this.current.items.find((item) => item.kind === 'user')?.text.slice(0, TITLE_CHARS_SHOWN) || t('chat.untitled');
  }

  newChat(incognito = false) {
    const { draft } = this.chats;
    const fresh = draft.items.length === 0 ? draft : this.chats.newDraft(incognito);
    fresh.incognito = incognito;
    this.openChat(fresh);
  }

  openNeighbour(step) {
    const rows = this.list.rows.filter((row) => !row.incognito);
    const at = rows.findIndex((row) => row.id === this.current.id);
    const next = rows[at < 0 ? 0 : at + step];
    if (next) this.open(next.id);
  }

  /**
   * @param {string | null} id
   * @param {string} [messageId] the message to show
   * @param {string} [quote] the words in it
   */
  async open(id, messageId, quote = '') {
    if (id === null) return this.newChat();
    const chat = this.chats.chat(id);
    chat.incognito ||= this.list.row(id)?.incognito === true;
    await this.openChat(chat);
    if (messageId && this.current === chat && !this.view.reveal(messageId, quote)) {
      // It is older than what was fetched, or was heard live and has no id here yet.
      await this.loadAll(chat);
      if (this.current === chat) this.view.reveal(messageId, quote);
    }
  }

  async openChat(chat) {
    if (chat !== this.current) this.deeds.leave(this.current);
    this.problem('');
    this.show(chat);
    this.showChats(false);
    $('message').focus();
    if (!chat.loaded) await this.load(chat);
  }

  show(chat) {
    this.current = chat;
    this.wasRunning = chat.live !== null;
    if (this.app.frame.name === 'chat') this.app.router.note('chat', ...(chat.id ? [chat.id] : []));
    this.view.show(chat);
    this.composer.show(chat);
    this.heading();
    this.helpers.draw();
  }

  drawAsides() {
    const { current } = this;
    const untrusted = this.list.row(current.id)?.untrusted ?? '';
    // What has not changed keeps its elements: a card that was opened stays open, and a button keeps the focus.
    const shown = JSON.stringify([current.id, untrusted, [...current.proposals.values()], [...current.helpers.values()].map(({ subagent_id, status, note }) => [subagent_id, status, note])]);
    if (shown === this.asidesShown) return;
    this.asidesShown = shown;
    this.view.aside.replaceChildren(...asideCards(current, untrusted, {
      decide: (proposal, decision) => this.deeds.decide(proposal, decision),
      stopHelper: (helper) => this.deeds.stopHelper(helper),
      trust: () => this.deeds.trust(current),
      prose: (text) => prose(text, { fileAddress: (name) => this.api.fileAddress(name) }),
    }));
  }

  /** Fetches the rows of a chat; again when something of it began or ended meanwhile. */
  async load(chat, anew = false) {
    if (chat.id === null || (chat.loaded && !anew)) return;
    try {
      for (let tries = 0; tries < LOADS_MAX; tries += 1) {
        const before = chat.changes;
        const limit = chat.loaded && !chat.more ? ROWS_MAX : ROWS_FIRST;
        const rows = (await this.api.get(`${path`/api/sessions/${chat.id}/messages`}?limit=${limit}`)) ?? [];
        if (chat.changes !== before && tries + 1 < LOADS_MAX) continue;
        this.chats.load(chat, rows);
        chat.more = limit === ROWS_FIRST && rows.length >= ROWS_FIRST;
        break;
      }
    } catch (error) {
      if (chat === this.current) this.problem(error.status === 404 ? t('chat.notThere') : error.message);
      return;
    }
    if (chat === this.current) {
      this.view.show(chat);
      this.composer.draw();
    }
    await this.deeds.fetchAsides(chat);
    if (chat === this.current) {
      this.drawAsides();
      this.helpers.draw();
    }
    if (chat.more && chat === this.current) await this.loadAll(chat);
  }

  /** The older part of a long chat, once its newest part is on the screen. */
  async loadAll(chat) {
    const before = chat.changes;
    const rows = await this.api.get(`${path`/api/sessions/${chat.id}/messages`}?limit=${ROWS_MAX}`).catch(() => null);
    if (!rows || chat.changes !== before) return; // the next look at it tries again
    this.chats.load(chat, rows);
    chat.more = false;
    if (chat === this.current) this.view.show(chat);
  }

  // What the person does

  /** Another screen begins a chat with these words. @param {string} text */
  say(text) {
    this.newChat();
    this.send(text, []);
  }

  async send(text, names) {
    this.problem('');
    const chat = this.current;
    const item = this.deeds.write(chat, text, names);
    this.view.touch(item);
    this.view.toEnd();
    this.composer.draw();
    await this.deeds.transmitFirst(chat, item);
    this.heading();
  }

  /** The button that was pressed is gone; what comes next is written. @param {Promise<void>} done */
  thenWrite(done) {
    $('message').focus();
    return done;
  }

  ownModel() {
    return this.current.id === null ? this.current.model ?? null : this.list.row(this.current.id)?.model ?? null;
  }

  async pickModel(model) {
    const chat = this.current;
    if (chat.id === null) chat.model = model;
    else await this.deeds.tried(() => this.api.call('PATCH', path`/api/sessions/${chat.id}`, { model }));
    await this.list.refresh();
    this.model.draw();
    $('message').focus();
  }

  /** Shows the call a helper was started by. @param {string} callId */
  revealCall(callId) {
    const item = this.current.items.find(({ blocks }) => blocks?.some((block) => block.callId === callId));
    if (matchMedia('(max-width: 46rem)').matches) this.helpers.show(false); // it lies over the conversation
    if (item) this.view.revealItem(item);
  }

  /** To what waits for the person: a question or an undo window of the reply, else a rule that may be made. */
  toQuestion() {
    const card = $('log').querySelector('.card[data-state="open"], .card.proposal');
    if (!card) return;
    card.tabIndex = -1;
    card.scrollIntoView({ block: 'nearest' });
    card.focus({ preventScroll: true });
  }

  /** On a narrow window the list lies over the conversation. */
  showChats(shown) {
    document.body.classList.toggle('chats-shown', shown);
    $('show-chats').setAttribute('aria-expanded', String(shown));
    if (shown) $('new-chat').focus();
  }

  problem(text) {
    $('problem').textContent = text;
  }
}
