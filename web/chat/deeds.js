// What the person does in a chat, carried to the engine: messages, answers, undo, rules, trust, helpers, memories. Each is
// shown at once as on its way, and becomes what the engine says. Nothing is drawn here.

import { path } from '../shell/connection.js';
import { t } from '../text/index.js';

export class ChatDeeds {
  /**
   * @param {import('../shell/app.js').App} app
   * @param {import('./conversation.js').Conversations} chats
   * @param {{ current: () => any, draw: (change: any) => void, problem: (text: string) => void, asides: () => void }} on
   */
  constructor(app, chats, on) {
    this.app = app;
    this.api = app.api;
    this.live = app.live;
    this.chats = chats;
    this.on = on;
    this.count = 0;
    this.prefix = crypto.randomUUID();
    /** Frames were lost, so nobody can know what arrived. */
    this.resynced = false;
  }

  // Messages

  /** Puts a message into its chat as on its way. */
  write(chat, text, names) {
    this.count += 1;
    const steer = chat.live !== null && names.length === 0;
    return this.chats.addMessage(chat, `${this.prefix}-${this.count}`, text, names, steer);
  }

  /** A chat that begins with a model of its own is made before its first message. */
  async transmitFirst(chat, item) {
    if (chat.id === null && chat.model) {
      const made = await this.tried(() => this.api.call('POST', `/api/sessions?incognito=${chat.incognito}&model=${encodeURIComponent(chat.model)}`));
      if (!made) {
        Object.assign(item, { state: 'refused', problem: t('shell.unanswered') });
        return this.on.draw({ chat, item });
      }
      this.chats.adopt(chat, made.session_id);
    }
    return this.transmit(chat, item);
  }

  /** Without a connection it waits as `sending`, and goes out when the connection is back. */
  transmit(chat, item) {
    const frame = { type: item.steer && chat.id ? 'chat.steer' : 'chat.send', text: item.text, client_id: item.clientId };
    if (chat.id) frame.session_id = chat.id;
    else if (chat.incognito) frame.incognito = true;
    if (item.attachments.length) frame.attachments = item.attachments;
    this.live.send(frame);
  }

  resend(item) {
    const chat = this.on.current();
    item.state = 'sending';
    item.steer = false;
    this.transmit(chat, item);
    this.on.draw({ chat, item });
  }

  /**
   * All that was missed has been heard. What is still unconfirmed never arrived and is sent again; after lost frames
   * nobody can know, so the person decides.
   */
  caughtUp() {
    for (const { chat, item } of this.chats.unconfirmed()) {
      if (this.resynced) {
        item.state = 'unsure';
        this.on.draw({ chat, item });
      } else {
        this.transmit(chat, item);
      }
    }
    // An answer that did arrive has come back by now. The engine takes each question's first answer only.
    for (const { approvalId, decision } of this.chats.unheardAnswers()) {
      this.live.send({ type: 'approval.respond', approval_id: approvalId, decision });
    }
    for (const { undoId, action } of this.chats.unheardUndos()) this.live.send({ type: 'undo.respond', undo_id: undoId, action });
    this.resynced = false;
  }

  // Answers

  async answer(approval, decision) {
    this.on.draw(this.chats.answered(approval.approval_id, 'sent', decision));
    if (this.live.send({ type: 'approval.respond', approval_id: approval.approval_id, decision })) return;
    try {
      await this.api.call('POST', '/api/approvals', { approval_id: approval.approval_id, decision });
      this.on.draw(this.chats.answered(approval.approval_id, 'answered'));
    } catch (error) {
      this.on.draw(this.chats.answered(approval.approval_id, error.status === 404 ? 'gone' : 'sent'));
      this.on.problem(error.message);
    }
  }

  /** @param {any} undo @param {'undo' | 'send_now'} action */
  async respond(undo, action) {
    this.on.draw(this.chats.undone(undo.undo_id, 'sent', action));
    if (this.live.send({ type: 'undo.respond', undo_id: undo.undo_id, action })) return;
    try {
      await this.api.call('POST', '/api/undo', { undo_id: undo.undo_id, action });
      this.on.draw(this.chats.undone(undo.undo_id, action === 'undo' ? 'undone' : 'over'));
    } catch (error) {
      this.on.draw(this.chats.undone(undo.undo_id, error.status === 404 ? 'late' : 'sent'));
      this.on.problem(error.message);
    }
  }

  /** @param {any} proposal @param {'accept' | 'decline'} decision */
  async decide(proposal, decision) {
    const chat = this.on.current();
    proposal.busy = true;
    this.on.asides();
    const decided = await this.tried(() => this.api.call('POST', path`/api/rule-proposals/${proposal.id}`, { decision }), 409);
    proposal.busy = false;
    if (decided) chat.proposals.delete(proposal.id);
    this.on.asides();
    if (decided) this.app.toasts.show(t(decision === 'accept' ? 'chat.rule.accepted' : 'chat.rule.declined'));
  }

  /** "I've checked it": covers what has been shown, and nothing that came after. */
  async trust(chat) {
    const answer = await this.tried(() => this.api.call('POST', path`/api/sessions/${chat.id}/trust`, chat.lastId ? { upto: chat.lastId } : {}));
    if (!answer || answer === true) return;
    if (!answer.trusted) this.on.problem(t('chat.trust.newer', { source: answer.untrusted || answer.writer || '' }));
    else this.app.toasts.show(t('chat.trusted'));
  }

  async stopHelper(helper) {
    const answer = await this.tried(() => this.api.call('POST', path`/api/subagents/${helper.subagent_id}/cancel`));
    if (answer && answer !== true) this.on.draw(this.chats.news('subagent.updated', answer));
  }

  /** Takes a memory back: it is deleted, or gets its former words. */
  async undoMemory(item) {
    const { memory } = item;
    const chat = this.on.current();
    item.state = 'busy';
    this.on.draw({ chat, item });
    const address = path`/api/memories/${String(memory.id)}`;
    const done = await this.tried(() => (memory.action === 'UPDATE' && memory.previous
      ? this.api.call('PUT', address, { content: memory.previous })
      : this.api.call('DELETE', address)), 404);
    item.state = done ? 'undone' : 'kept';
    this.on.draw({ chat, item });
  }

  async keepGoing() {
    if (await this.tried(() => this.api.call('POST', '/api/usage/budget/keep-going'))) this.app.toasts.show(t('chat.keptGoing'));
  }

  // Around a chat

  /** An incognito chat ends when it is left. @param {any} chat */
  leave(chat, closing = false) {
    if (!chat.incognito || chat.id === null) return;
    const { id } = chat;
    this.chats.chats.delete(id);
    if (!closing) this.tried(() => this.api.call('DELETE', path`/api/sessions/${id}`), 404);
    else this.api.deleteOnLeaving(path`/api/sessions/${id}`);
  }

  /** Rules that may be made, and helpers that work. An engine without them says so with a 404. */
  async fetchAsides(chat) {
    const [proposals, helpers] = await Promise.all([path`/api/sessions/${chat.id}/rule-proposals`, path`/api/sessions/${chat.id}/subagents`]
      .map((address) => this.api.get(address).catch(() => null)));
    if (proposals) chat.proposals = new Map(proposals.map((proposal) => [proposal.id, proposal]));
    for (const helper of helpers ?? []) this.on.draw(this.chats.helper(chat, helper));
  }

  /** The answer of `job`, `true` where it has none, `null` when it failed and the person was told. */
  async tried(job, fine = null) {
    try {
      return (await job()) ?? true;
    } catch (error) {
      if (error.status === fine) return true;
      this.on.problem(error.message);
      return null;
    }
  }
}
