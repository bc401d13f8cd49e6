// Chats as the window knows them: stored rows and live frames folded into one picture. No DOM, no network: frames and
// rows in, changed items out. It never invents a state: what it shows was stored, or was heard from the engine.

const OUTPUT_CHARS_MAX = 20_000;

const newChat = (id) => ({ id, items: [], loaded: false, usage: null, announced: 0, changes: 0 });

const newReply = (turnId, state, whole) =>
  ({ kind: 'reply', turnId, state, whole, blocks: [], sources: [], memories: [] });

const newCall = (callId, name) =>
  ({ kind: 'call', callId, name, args: null, output: '', status: '', picture: null, state: 'running', result: null,
     ms: null, approval: null });

/** Arguments and results travel as JSON text in stored rows. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function outcome(result, isError) {
  if (result?.declined) return 'declined';
  return isError ? 'failed' : 'done';
}

/** Stored rows, oldest first, as items: each reply holds its calls and their results. */
export function itemsOf(rows) {
  /** @type {any[]} */
  const items = [];
  const reply = () => {
    if (items.at(-1)?.kind !== 'reply') items.push(newReply(null, 'done', true));
    return items.at(-1);
  };
  for (const row of rows) {
    if (row.role === 'user' && row.interjection) {
      reply().blocks.push({ kind: 'steer', text: row.content });
    } else if (row.role === 'user') {
      items.push({ kind: 'user', text: row.content, attachments: row.attachments ?? [], state: 'stored' });
    } else if (row.role === 'assistant') {
      addAssistantRow(reply(), row);
    } else if (row.role === 'tool') {
      addToolRow(reply(), row);
    } else if (row.role === 'other') {
      items.push({ kind: 'other', name: row.name ?? 'Someone', text: row.content });
    } else {
      const event = parsed(row.content);
      const text = row.name === 'trusted' ? 'You trusted this chat again.' : String(event?.event ?? row.name ?? '');
      items.push({ kind: 'note', text });
    }
  }
  return items;
}

function addAssistantRow(reply, row) {
  if (row.thinking) reply.blocks.push({ kind: 'thinking', text: row.thinking });
  if (row.content) reply.blocks.push({ kind: 'text', text: row.content });
  for (const { id, function: called } of row.tool_calls ?? []) {
    reply.blocks.push({ ...newCall(id, called.name), args: parsed(called.arguments), state: 'ended' });
  }
  reply.sources.push(...(row.sources ?? []));
  reply.memories.push(...(row.memory_sources ?? []));
}

function addToolRow(reply, row) {
  let call = reply.blocks.find((block) => block.kind === 'call' && block.callId === row.tool_call_id);
  if (!call) {
    call = newCall(row.tool_call_id, row.name ?? 'tool');
    reply.blocks.push(call);
  }
  call.result = parsed(row.content);
  call.state = outcome(call.result, Boolean(call.result?.error));
}

/** All chats this window has heard of. */
export class Conversations {
  constructor() {
    this.chats = new Map();
    this.drafts = [];
    this.newDraft();
  }

  chat(id) {
    if (id === null) return this.draft;
    if (!this.chats.has(id)) this.chats.set(id, newChat(id));
    return this.chats.get(id);
  }

  /** A chat that is not stored yet. */
  newDraft() {
    this.drafts = this.drafts.filter((draft) => draft.id === null && draft.items.length > 0);
    this.draft = newChat(null);
    this.draft.loaded = true;
    this.drafts.push(this.draft);
    return this.draft;
  }

  running(chat) {
    return chat.items.findLast((item) => item.kind === 'reply' && item.state === 'running') ?? null;
  }

  all() {
    return [...this.drafts.filter((draft) => draft.id === null), ...this.chats.values()];
  }

  /** Frames were lost: what was heard is worth nothing, the rows are fetched again. Unconfirmed messages stay. */
  forget() {
    for (const chat of this.chats.values()) {
      chat.items = chat.items.filter((item) => !(item.kind === 'reply' && item.state === 'running'));
      Object.assign(chat, { loaded: false, announced: 0 });
    }
  }

  /** Shows a message of the person before the engine has answered for it. */
  addMessage(chat, clientId, text, attachments, steer) {
    const item = { kind: 'user', text, attachments, clientId, steer, state: 'sending' };
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
    const live = this.running(chat);
    if (live) {
      const stored = items.at(-1)?.kind === 'reply' ? items.pop() : null;
      if (stored && !live.whole) live.blocks = joined(stored.blocks, live.blocks);
      items.push(live);
    }
    const read = new Set(rows.filter((row) => row.interjection).map((row) => row.content));
    const open = (item) => item.kind === 'user' && item.state !== 'stored' && !(item.state === 'joining' && read.has(item.text));
    const waiting = chat.items.filter(open);
    chat.items = [...items, ...waiting];
    chat.loaded = true;
  }

  /** Answers that were given while nobody could hear them, as `{approvalId, decision}`. */
  unheardAnswers() {
    const asked = this.all().flatMap((chat) => chat.items).flatMap((item) => item.blocks ?? []).map((block) => block.approval);
    const unheard = asked.filter((approval) => approval?.state === 'sent');
    return unheard.map((approval) => ({ approvalId: approval.approval_id, decision: approval.decision }));
  }

  /** Whether a question of this chat waits for the person. */
  asks(id) {
    const items = this.chats.get(id)?.items ?? [];
    return items.some((item) => item.blocks?.some((block) => block.approval?.state === 'open'));
  }

  /**
   * A frame of a chat: answers what changed, `{chat, item?, block?, ended?, adopted?, unseen?}`, or null. `unseen` says
   * that stored rows hold more of it than was heard.
   */
  hear(frame) {
    if (frame.type === 'approval.ack') return this.answered(frame.approval_id, frame.resolved ? 'answered' : 'gone');
    if (!frame.session_id) return null;
    if (frame.type === 'session') return this.confirm(frame);
    const chat = this.chat(frame.session_id);
    if (frame.type === 'steer_ack') return this.steerAnswered(chat, frame);
    if (frame.type === 'usage') {
      chat.usage = frame;
      return { chat };
    }
    if (frame.type === 'error' && (frame.dropped || !frame.turn_id)) return this.refused(chat, frame);
    return this.turn(chat, frame);
  }

  confirm({ session_id: id, client_id: clientId }) {
    const found = this.byClientId(clientId);
    let chat = this.chat(id);
    const adopted = found !== null && found.chat.id === null;
    if (adopted) {
      // What was heard of it already belongs behind the message that began it.
      found.chat.items.push(...chat.items);
      chat = Object.assign(found.chat, { id, announced: chat.announced, usage: chat.usage });
      this.chats.set(id, chat);
      if (chat === this.draft) this.newDraft();
    }
    if (found) found.item.state = 'stored';
    chat.announced += 1;
    chat.changes += 1;
    return { chat, item: found?.item, adopted, unseen: found === null };
  }

  byClientId(clientId) {
    if (!clientId) return null;
    for (const chat of this.all()) {
      const item = chat.items.find((candidate) => candidate.kind === 'user' && candidate.clientId === clientId);
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
    const item = { kind: 'note', text: message, problem: true };
    chat.items.push(item);
    return { chat, item };
  }

  answered(approvalId, state, decision) {
    for (const chat of this.chats.values()) {
      for (const item of chat.items) {
        const block = item.blocks?.find((candidate) => candidate.approval?.approval_id === approvalId);
        if (block) {
          const { approval } = block;
          if (approval.state === 'open' || approval.state === 'sent') approval.state = state;
          if (decision) approval.decision = decision;
          return { chat, item, block };
        }
      }
    }
    return null;
  }

  begin(chat, turnId) {
    const item = newReply(turnId, 'running', chat.announced > 0);
    chat.announced = Math.max(0, chat.announced - 1);
    // Messages that still wait stay below the reply they wait for.
    const at = chat.items.findIndex((candidate) => ['sending', 'joining'].includes(candidate.state));
    chat.items.splice(at < 0 ? chat.items.length : at, 0, item);
    return item;
  }

  turn(chat, frame) {
    const known = chat.items.findLast((candidate) => candidate.kind === 'reply' && candidate.turnId === frame.turn_id);
    const item = known ?? this.begin(chat, frame.turn_id);
    if (frame.type === 'done') return this.end(chat, item, frame);
    const block = this.block(chat, item, frame);
    return block && { chat, item, block, unseen: !known && !item.whole };
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
        return progress(call(item, frame), frame);
      case 'approval_request':
        return ask(call(item, frame), frame);
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
        return push(item, { kind: 'error', text: frame.message, code: frame.code });
      default:
        return null;
    }
  }

  end(chat, item, done) {
    item.state = done.error ? 'failed' : done.cancelled ? 'stopped' : 'done';
    item.sources = done.sources ?? [];
    item.memories = done.memory_sources ?? [];
    settle(item, done.content);
    for (const block of item.blocks) {
      if (block.kind !== 'call') continue;
      if (block.state === 'running') block.state = 'ended';
      if (block.approval?.state === 'open' || block.approval?.state === 'sent') block.approval.state = 'gone';
    }
    for (const text of done.dropped ?? []) {
      const waits = chat.items.find((other) => other.kind === 'user' && other.state !== 'stored' && other.text === text);
      if (waits) waits.state = 'dropped';
      else chat.items.push({ kind: 'user', text, attachments: [], state: 'dropped' });
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
  const known = item.blocks.find((block) => block.kind === 'call' && block.callId === callId);
  return known ?? push(item, newCall(callId, name));
}

/** A question may be heard twice, as news and in the greeting; the second time changes nothing. */
function ask(block, frame) {
  if (block.approval?.approval_id === frame.approval_id) return block;
  return Object.assign(block, { args: frame.arguments, state: 'running', approval: { ...frame, state: 'open' } });
}

function progress(block, { kind, text, image }) {
  if (kind === 'stdout' || kind === 'stderr') block.output = (block.output + (text ?? '')).slice(-OUTPUT_CHARS_MAX);
  else if (text) block.status = text;
  if (image?.startsWith('data:image/')) block.picture = image;
  return block;
}

function finish(block, { result, is_error: isError, duration_ms: ms }) {
  Object.assign(block, { result, ms, state: outcome(result, isError), status: '' });
  const { approval } = block;
  if (approval?.state === 'open' || approval?.state === 'sent') approval.state = result?.declined ? 'gone' : 'answered';
  return block;
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
