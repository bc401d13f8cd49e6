// Chats as the window knows them: stored rows and live frames folded into one picture. No DOM, no network: frames and
// rows in, changed items out. It never invents a state: what it shows was stored, or was heard from the engine.
//
// A reply may have ten thousand deltas, so what is done for each does not depend on how long the reply or the chat is.

import { itemsOf, newCall, newReply, outcome } from './rows.js';

const OUTPUT_CHARS_MAX = 20_000;
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp);base64,/;

/** @param {string | null} id */
const newChat = (id) => ({
  id, items: /** @type {any[]} */ ([]), loaded: false, usage: /** @type {any} */ (null), announced: 0, changes: 0,
  live: /** @type {any} */ (null), incognito: false, model: /** @type {string | null} */ (null), more: false, tokens: 0, lastId: /** @type {string | null} */ (null),
  helpers: /** @type {Map<string, any>} */ (new Map()), proposals: /** @type {Map<string, any>} */ (new Map()),
});

/** @typedef {ReturnType<typeof newChat>} Chat */

/** All chats this window has heard of. */
export class Conversations {
  constructor() {
    /** @type {Map<string, Chat>} */
    this.chats = new Map();
    /** @type {Chat[]} */
    this.drafts = [];
    this.newDraft();
  }

  /** @param {string | null} id @returns {Chat} */
  chat(id) {
    if (id === null) return this.draft;
    if (!this.chats.has(id)) this.chats.set(id, newChat(id));
    return this.chats.get(id);
  }

  /** A chat that is not stored yet. */
  newDraft(incognito = false) {
    this.drafts = this.drafts.filter((draft) => draft.id === null && draft.items.length > 0);
    this.draft = newChat(null);
    this.draft.loaded = true;
    this.draft.incognito = incognito;
    this.drafts.push(this.draft);
    return this.draft;
  }

  /** The reply in the making, or null. @param {Chat} chat */
  running(chat) {
    return chat.live;
  }

  all() {
    return [...this.drafts.filter((draft) => draft.id === null), ...this.chats.values()];
  }

  /** Frames were lost: what was heard is worth nothing, the rows are fetched again. Unconfirmed messages stay. */
  forget() {
    for (const chat of this.chats.values()) {
      chat.items = chat.items.filter((item) => item !== chat.live);
      Object.assign(chat, { loaded: false, announced: 0, live: null });
    }
  }

  /** Shows a message of the person before the engine has answered for it. */
  addMessage(chat, clientId, text, attachments, steer) {
    const item = { kind: 'user', text, attachments, clientId, steer, state: 'sending', ids: [], at: null };
    chat.items.push(item);
    return item;
  }

  /** Messages whose arrival nobody has confirmed yet, as `{chat, item}`. */
  unconfirmed() {
    const sending = (chat) => chat.items.filter((item) => item.state === 'sending');
    return this.all().flatMap((chat) => sending(chat).map((item) => ({ chat, item })));
  }

  /**
   * Puts stored rows in place of what was heard. A reply in the making stays: heard from its beginning it is complete;
   * joined halfway, what is stored of it comes before what was heard.
   */
  load(chat, rows) {
    const items = itemsOf(rows);
    const { live } = chat;
    if (live) {
      const stored = items.at(-1)?.kind === 'reply' ? items.pop() : null;
      if (stored && !live.whole) live.blocks = joined(stored.blocks, live.blocks);
      items.push(live);
    }
    const read = new Set(rows.filter((row) => row.interjection).map((row) => row.content));
    const open = (item) => item.kind === 'user' && item.state !== 'stored' && !(item.state === 'joining' && read.has(item.text));
    chat.items = [...items, ...chat.items.filter((item) => item.kind === 'memory' || open(item))];
    chat.loaded = true;
    chat.lastId = rows.at(-1)?.id ?? chat.lastId;
  }

  /** Answers that were given while nobody could hear them, as `{approvalId, decision}`. */
  unheardAnswers() {
    const unheard = this.liveBlocks().map(({ block }) => block.approval).filter((approval) => approval?.state === 'sent');
    return unheard.map((approval) => ({ approvalId: approval.approval_id, decision: approval.decision }));
  }

  /** The same of undo windows, as `{undoId, action}`. */
  unheardUndos() {
    const unheard = this.liveBlocks().map(({ block }) => block.undo).filter((undo) => undo?.state === 'sent');
    return unheard.map((undo) => ({ undoId: undo.undo_id, action: undo.action }));
  }

  /** Every block of a reply in the making: only there are questions and undo windows open. */
  liveBlocks() {
    return this.all().flatMap((chat) => (chat.live?.blocks ?? []).map((block) => ({ chat, item: chat.live, block })));
  }

  /** Whether a question of this chat waits for the person. @param {string} id */
  asks(id) {
    const chat = this.chats.get(id);
    return Boolean(chat && (chat.proposals.size > 0 || chat.live?.blocks.some((block) => block.approval?.state === 'open')));
  }

  /**
   * A frame of a chat: answers what changed, `{chat, item?, block?, ended?, adopted?, unseen?, aside?, helper?, report?}`, or null.
   * `unseen` says that stored rows hold more of it than was heard; `aside` that what stands below the items changed,
   * `helper` that one of its helpers did, `report` that it has put a message into the chat.
   */
  hear(frame) {
    if (frame.type === 'approval.ack') return this.answered(frame.approval_id, frame.resolved ? 'answered' : 'gone');
    if (frame.type === 'undo.ack') return this.undone(frame.undo_id, frame.done ? (frame.action === 'undo' ? 'undone' : 'over') : 'late');
    if (frame.data !== undefined && frame.type?.includes('.')) return this.news(frame.type, frame.data);
    if (!frame.session_id) return null;
    if (frame.type === 'session') return this.confirm(frame);
    const chat = this.chat(frame.session_id);
    if (frame.type === 'steer_ack') return this.steerAnswered(chat, frame);
    if (frame.type === 'usage') {
      chat.usage = frame;
      chat.tokens += (frame.prompt_tokens ?? 0) + (frame.completion_tokens ?? 0);
      return { chat };
    }
    if (frame.type === 'error' && (frame.dropped || !frame.turn_id)) return this.refused(chat, frame);
    return this.turn(chat, frame);
  }

  /** What the engine tells everybody, where it concerns a chat this window knows. */
  news(type, data) {
    const chat = this.chats.get(data?.session_id);
    if (!chat) return null;
    switch (type) {
      case 'rule_proposal.updated':
        if (data.status === 'pending') chat.proposals.set(data.id, data);
        else chat.proposals.delete(data.id);
        return { chat, aside: true };
      case 'subagent.updated':
        return this.helper(chat, data);
      case 'memory.updated': {
        if (!['ADD', 'UPDATE'].includes(data.action) || data.id === null || data.reason === 'approved') return null;
        const item = { kind: 'memory', memory: data, state: 'kept', ids: [], at: null };
        chat.items.push(item);
        return { chat, item };
      }
      default:
        return null;
    }
  }

  /** A helper began, moved on or ended; it is shown at the call that started it. */
  helper(chat, data) {
    const known = chat.helpers.get(data.subagent_id);
    const helper = Object.assign(known ?? { note: '' }, data);
    chat.helpers.set(data.subagent_id, helper);
    const item = chat.items.findLast((candidate) => candidate.blocks?.some((block) => block.callId === helper.parent_call_id));
    const block = item?.blocks.find((candidate) => candidate.callId === helper.parent_call_id);
    // What a helper in the background found becomes a message of the chat.
    const report = known !== undefined && helper.background === true && helper.status !== 'running';
    return { chat, helper: true, ...(report && { report }), ...(block ? { item, block } : { aside: true }) };
  }

  confirm({ session_id: id, client_id: clientId }) {
    const found = this.byClientId(clientId);
    let chat = this.chat(id);
    const adopted = found !== null && found.chat.id === null;
    if (adopted) chat = this.adopt(found.chat, id);
    if (found) found.item.state = 'stored';
    chat.announced += 1;
    chat.changes += 1;
    return { chat, item: found?.item, adopted, unseen: found === null };
  }

  /** A draft got its id. What was heard of it already belongs behind the message that began it. */
  adopt(draft, id) {
    const heard = this.chat(id);
    draft.items.push(...heard.items);
    const { announced, usage, live } = heard;
    const chat = Object.assign(draft, { id, announced, usage, live });
    this.chats.set(id, chat);
    if (chat === this.draft) this.newDraft();
    return chat;
  }

  byClientId(clientId) {
    if (!clientId) return null;
    for (const chat of this.all()) {
      const item = chat.items.findLast((candidate) => candidate.kind === 'user' && candidate.clientId === clientId);
      if (item) return { chat, item };
    }
    return null;
  }

  steerAnswered(chat, { client_id: clientId, queued }) {
    const found = this.byClientId(clientId);
    if (found) found.item.state = queued ? 'joining' : 'stored';
    return { chat, item: found?.item };
  }

  refused(chat, { client_id: clientId, message }) {
    const found = this.byClientId(clientId);
    if (found) {
      found.item.state = 'refused';
      found.item.problem = message;
      return { chat, item: found.item };
    }
    const item = { kind: 'problem', text: message, ids: [], at: null };
    chat.items.push(item);
    return { chat, item };
  }

  answered(approvalId, state, decision) {
    const found = this.liveBlocks().find(({ block }) => block.approval?.approval_id === approvalId);
    if (!found) return null;
    const { approval } = found.block;
    if (approval.state === 'open' || approval.state === 'sent') approval.state = state;
    if (decision) approval.decision = decision;
    return found;
  }

  /** What became of an undo window: `sent` while the engine has not answered, `undone`, `over`, or `late`. */
  undone(undoId, state, action) {
    const found = this.liveBlocks().find(({ block }) => block.undo?.undo_id === undoId);
    if (!found) return null;
    const { undo } = found.block;
    if (undo.state === 'open' || undo.state === 'sent') undo.state = state;
    if (action) undo.action = action;
    return found;
  }

  begin(chat, turnId) {
    const item = newReply(turnId, 'running', chat.announced > 0);
    chat.announced = Math.max(0, chat.announced - 1);
    // Messages that still wait stay below the reply they wait for.
    const at = chat.items.findIndex((candidate) => ['sending', 'joining'].includes(candidate.state));
    chat.items.splice(at < 0 ? chat.items.length : at, 0, item);
    chat.live = item;
    return item;
  }

  turn(chat, frame) {
    const isLive = chat.live?.turnId === frame.turn_id;
    const known = isLive ? chat.live : chat.items.findLast((other) => other.kind === 'reply' && other.turnId === frame.turn_id);
    const item = known ?? this.begin(chat, frame.turn_id);
    if (frame.type === 'done') return this.end(chat, item, frame);
    const block = this.block(chat, item, frame);
    return block && { chat, item, block, unseen: !known && !item.whole, helper: frame.type === 'tool_progress' && frame.kind === 'subagent' };
  }

  block(chat, item, frame) {
    switch (frame.type) {
      case 'text_delta':
        return append(item, 'text', frame.text);
      case 'thinking_delta':
        return append(item, 'thinking', frame.text);
      case 'tool_call':
        return Object.assign(call(item, frame), { args: frame.arguments });
      case 'tool_progress':
        return progress(chat, call(item, frame), frame);
      case 'approval_request':
        return ask(call(item, frame), frame);
      case 'undo_window':
        return wait(call(item, frame), frame);
      case 'tool_result':
        return finish(call(item, frame), frame);
      case 'user_interjection': {
        const waits = chat.items.findIndex((other) => other.state === 'joining' && other.text === frame.text);
        if (waits >= 0) chat.items.splice(waits, 1);
        return push(item, { kind: 'steer', text: frame.text });
      }
      case 'notice':
        return push(item, { kind: 'notice', text: frame.message });
      case 'error':
        return push(item, { kind: 'error', text: frame.message, code: frame.code, note: frame.recoverable === true });
      default:
        return null;
    }
  }

  end(chat, item, done) {
    item.state = done.error ? 'failed' : done.cancelled ? 'stopped' : 'done';
    item.sources = done.sources ?? [];
    item.memories = done.memory_sources ?? [];
    item.checks = done.checks ?? [];
    if (chat.live === item) chat.live = null;
    if (done.message_id) {
      item.ids.push(done.message_id);
      chat.lastId = done.message_id;
    }
    settle(item, done.content);
    for (const block of item.blocks) if (block.kind === 'call') close(block);
    for (const text of done.dropped ?? []) {
      const waits = chat.items.find((other) => other.kind === 'user' && other.state !== 'stored' && other.text === text);
      if (waits) waits.state = 'dropped';
      else chat.items.push({ kind: 'user', text, attachments: [], state: 'dropped', ids: [], at: null });
    }
    // What came too late to join this reply becomes a message of its own, and gets a reply of its own.
    for (const late of chat.items.filter((other) => other.state === 'joining')) {
      late.state = 'stored';
      chat.announced += 1;
    }
    chat.changes += 1;
    return { chat, item, ended: true };
  }
}

function push(item, block) {
  item.blocks.push(block);
  return block;
}

function append(item, kind, text) {
  const last = item.blocks.at(-1);
  if (last?.kind !== kind) return push(item, { kind, text });
  last.text += text;
  return last;
}

function call(item, { call_id: callId, name }) {
  const known = item.blocks.findLast((block) => block.kind === 'call' && block.callId === callId);
  return known ?? push(item, newCall(callId, name));
}

/** A question may be heard twice, as news and in the greeting; the second time changes nothing. */
function ask(block, frame) {
  if (block.approval?.approval_id === frame.approval_id) return block;
  return Object.assign(block, { args: frame.arguments, state: 'running', approval: { ...frame, state: 'open' } });
}

function wait(block, frame) {
  if (block.undo?.undo_id === frame.undo_id) return block;
  return Object.assign(block, { undo: { ...frame, state: 'open', heardAt: Date.now() } });
}

function progress(chat, block, { kind, text, image, data }) {
  if (kind === 'stdout' || kind === 'stderr') block.output = (block.output + (text ?? '')).slice(-OUTPUT_CHARS_MAX);
  else if (kind === 'subagent' && data?.subagent_id) noteOf(chat, block, data);
  else if (text) block.status = text;
  if (typeof image === 'string' && PICTURE.test(image)) block.picture = image;
  return block;
}

/** What a helper says while it works. */
function noteOf(chat, block, { subagent_id: id, message }) {
  const known = chat.helpers.get(id) ?? { subagent_id: id, parent_call_id: block.callId, status: 'running', goal: '', kind: 'worker' };
  chat.helpers.set(id, Object.assign(known, { note: typeof message === 'string' ? message : message?.content ?? '' }));
}

function finish(block, { result, is_error: isError, duration_ms: ms, check }) {
  Object.assign(block, { result, ms, state: outcome(result, isError), status: '', check: check ?? null });
  const { approval, undo } = block;
  if (approval?.state === 'open' || approval?.state === 'sent') approval.state = result?.declined ? 'gone' : 'answered';
  if (undo && undo.state !== 'undone') undo.state = block.state === 'undone' ? 'undone' : 'over';
  return block;
}

/** Nothing of a call is open once its reply has ended. */
function close(block) {
  const { approval, undo } = block;
  if (block.state === 'running') block.state = 'ended';
  if (approval?.state === 'open' || approval?.state === 'sent') approval.state = 'gone';
  if (undo?.state === 'open' || undo?.state === 'sent') undo.state = 'undone'; // stopped within the window: it was not sent
}

/** The final text wins over what was streamed, unless it is the same or all of it together. */
function settle(item, content) {
  if (!content) return;
  const bare = (text) => text.replace(/\s+/g, '');
  const texts = item.blocks.filter((block) => block.kind === 'text');
  const streamed = bare(texts.map((block) => block.text).join(''));
  const last = item.blocks.findLast((block) => block.kind === 'text' || block.kind === 'call');
  if (bare(content) === streamed || (last?.kind === 'text' && bare(last.text) === bare(content))) return;
  if (last?.kind === 'text') last.text = content;
  else item.blocks.push({ kind: 'text', text: content });
}

/** Stored blocks, then those that were heard after the last call both know. */
function joined(stored, heard) {
  const ids = new Set(stored.filter((block) => block.kind === 'call').map((block) => block.callId));
  const shared = heard.findLastIndex((block) => block.kind === 'call' && ids.has(block.callId));
  const fresh = heard.filter((block) => block.kind === 'call' && ids.has(block.callId));
  const kept = stored.map((block) => fresh.find((live) => block.kind === 'call' && live.callId === block.callId) ?? block);
  return [...kept, ...heard.slice(shared + 1)];
}
