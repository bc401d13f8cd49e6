// A small engine for the page tests: the HTTP and WebSocket shapes of the contract, with scenes in place of a model.
// It keeps chats in memory, numbers its frames, replays them after `?since=`, and counts what it is asked. It is no
// engine: nothing here judges, and only the page is tested with it.

import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockApi } from './mock-api.mjs';
import { chatFrame, chatRoute } from './mock-chat.mjs';
import { MockMemory } from './mock-memory.mjs';
import { scenes } from './scenes.mjs';
import { load } from './tools.mjs';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const MIME = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2', '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json',
};
const FRAMES_KEPT_MAX = 5000;
// As the gateway sends it, so that the page is tested under the same rules.
export const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
  + "connect-src 'self' ws://127.0.0.1:* ws://localhost:*; font-src 'self'; media-src 'self' blob:; worker-src 'self'; "
  + "manifest-src 'self'; base-uri 'none'; form-action 'none'; "
  + "frame-ancestors 'none'";

const now = () => new Date().toISOString().replace('Z', '+00:00');
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

class MockEngine {
  constructor(options) {
    this.token = randomUUID();
    this.sessions = new Map();
    this.files = new Map();
    this.frames = [];
    this.seq = 0;
    this.sockets = new Set();
    this.turns = new Map();
    this.questions = new Map();
    this.version = '0.1.0';
    this.heard = []; // every frame a window sent
    this.api = new MockApi((type, data) => this.publish({ type, data, ts: now() }), options);
    this.memory = new MockMemory((type, data) => this.publish({ type, data, ts: now() }));
    this.api.cancelAll = () => {
      for (const turn of this.turns.values()) turn.abort.abort();
    };
  }

  get assistant() {
    return this.api.config.assistant.name;
  }

  set assistant(name) {
    this.api.config.assistant.name = name;
  }

  // Frames

  publish(frame) {
    this.seq += 1;
    const text = JSON.stringify({ ...frame, seq: this.seq });
    this.frames.push({ seq: this.seq, text });
    if (this.frames.length > FRAMES_KEPT_MAX) this.frames.shift();
    for (const socket of this.sockets) socket.send(text);
  }

  /** What a window that reads too slowly is told: a second greeting, and the frames it missed are gone. */
  leaveBehind() {
    for (const socket of this.sockets) {
      socket.send(JSON.stringify({ type: 'hello', version: this.version, assistant: this.assistant, seq: this.seq, resync: true }));
    }
    // A real engine repeats open questions here too; no scene needs it.
  }

  /** What happens after a long absence: the frames are no longer there. */
  forgetFrames() {
    this.frames = [];
  }

  greet(socket, since) {
    const kept = this.frames[0]?.seq ?? this.seq + 1;
    const resync = since !== null && since < this.seq && since + 1 < kept;
    socket.send(JSON.stringify({ type: 'hello', version: this.version, assistant: this.assistant, seq: this.seq, ...(resync && { resync }) }));
    if (since === null || resync) {
      for (const frame of [...this.questions.values()].map((question) => question.frame)) socket.send(JSON.stringify(frame));
    } else {
      for (const frame of this.frames.filter(({ seq }) => seq > since)) socket.send(frame.text);
    }
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('message', (data) => this.take(socket, JSON.parse(data)));
  }

  take(socket, frame) {
    this.heard.push(frame);
    const answer = (value) => socket.send(JSON.stringify(value));
    switch (frame.type) {
      case 'ping':
        this.beat?.();
        return answer({ type: 'pong' });
      case 'presence':
        return undefined;
      case 'chat.send':
        return this.send(frame);
      case 'chat.steer':
        return this.steer(frame);
      case 'chat.cancel':
        return this.turns.get(frame.session_id)?.abort.abort();
      case 'approval.respond':
        return this.resolve(frame) ? undefined : answer({ type: 'approval.ack', approval_id: frame.approval_id, resolved: false });
      default:
        if (chatFrame(this, frame)) return undefined;
        return answer({ type: 'error', message: `unknown message type ${frame.type}`, recoverable: true });
    }
  }

  resolve({ approval_id: id, decision }) {
    const question = this.questions.get(id);
    this.questions.delete(id);
    if (question) this.publish({ type: 'approval.ack', approval_id: id, resolved: true });
    question?.answered(decision);
    return question !== undefined;
  }

  // Chats

  session(id, title) {
    if (!this.sessions.has(id)) {
      const row = {
        id, title, channel: 'desktop', created_at: now(), updated_at: now(), untrusted: '', visited_hosts: [],
        incognito: false, model: null, memory_scope: 'personal', node_id: null,
      };
      this.sessions.set(id, { row, messages: [] });
    }
    return this.sessions.get(id);
  }

  store(session, row) {
    const whole = {
      id: randomUUID(), content: '', thinking: null, tool_calls: null, tool_call_id: null, name: null, attachments: [],
      interjection: false, memory_sources: [], sources: [], approval: null, checks: [], created_at: now(), ...row,
    };
    session.messages.push(whole);
    session.row.updated_at = now();
    return whole;
  }

  send({ session_id: given, text, attachments = [], client_id: clientId, incognito = false }) {
    const id = given ?? randomUUID();
    const session = this.session(id, text.slice(0, 60));
    if (!given) session.row.incognito = incognito;
    session.row.title ||= text.slice(0, 60);
    this.store(session, { role: 'user', content: text, attachments });
    this.publish({ type: 'session', session_id: id, client_id: clientId });
    this.turn(id, session, text);
  }

  steer(frame) {
    const turn = this.turns.get(frame.session_id);
    this.publish({ type: 'steer_ack', session_id: frame.session_id, queued: turn !== undefined, client_id: frame.client_id });
    if (turn) turn.steers.push(frame.text);
    else this.send({ ...frame, client_id: undefined });
  }

  async turn(id, session, text) {
    const turn = new Turn(this, id, session);
    this.turns.set(id, turn);
    const scene = scenes.find(({ says }) => says(text, this.api.config.models.roles.primary)) ?? scenes[1];
    let failure = null;
    try {
      await scene.play(turn, text);
    } catch (error) {
      if (error !== turn.abort.signal.reason) failure = error.message;
    }
    this.turns.delete(id);
    if (!turn.ended) turn.end(failure);
  }

  // HTTP

  async route(request, url) {
    const { pathname: path } = url;
    if (path === '/api/health') return { ok: true, version: '0.1.0', name: 'sentient' };
    if (!path.startsWith('/api/')) return undefined;
    const given = request.headers.authorization?.replace('Bearer ', '') ?? url.searchParams.get('token');
    if (given !== this.token) return { status: 401, detail: 'invalid or missing token' };
    const ofMemory = await this.memory.route(request.method, path, url.searchParams, () => body(request));
    if (ofMemory !== undefined) return ofMemory;
    const ofChat = await chatRoute(this, request, url, () => body(request));
    if (ofChat !== undefined) return ofChat;
    const read = async () => JSON.parse((await body(request)) || '{}');
    const answer = await this.api.route(request.method, path, url.searchParams, read);
    if (answer !== undefined) return answer;
    if (path === '/api/sessions') return [...this.sessions.values()].map(({ row }) => row).reverse();
    const messages = /^\/api\/sessions\/([^/]+)\/messages$/.exec(path);
    const limit = Number(url.searchParams.get('limit') ?? 500);
    if (messages) return this.sessions.get(decodeURIComponent(messages[1]))?.messages.slice(-limit) ?? { status: 404, detail: 'There is no such chat.' };
    if (/^\/api\/sessions\/[^/]+$/.test(path)) return this.change(request, decodeURIComponent(path.split('/')[3]));
    if (path === '/api/approvals') return this.resolve(await read()) ? { resolved: true } : { status: 404, detail: 'Nothing is waiting for this answer any more.' };
    if (path === '/api/files' && request.method === 'POST') return this.keep(await body(request));
    if (path.startsWith('/api/files/') && request.method === 'DELETE') {
      this.files.delete(decodeURIComponent(path.slice('/api/files/'.length)));
      return { ok: true };
    }
    return { status: 404, detail: 'not found' };
  }

  /** Renames or deletes a chat, and tells every window. */
  async change(request, id) {
    const session = this.sessions.get(id);
    if (!session) return { status: 404, detail: 'This chat does not exist any more.' };
    const news = (type, data) => this.publish({ type, data: { session_id: id, ...data }, ts: now() });
    if (request.method === 'DELETE') {
      this.sessions.delete(id);
      news('session.deleted', {});
      return { ok: true };
    }
    const changed = JSON.parse(await body(request));
    Object.assign(session.row, changed);
    news('session.updated', changed);
    return { ok: true, ...changed };
  }

  keep(form) {
    const name = `uploads/${/filename="([^"]*)"/.exec(form)[1]}`;
    this.files.set(name, form);
    return { name, size: form.length, mime: 'text/plain' };
  }
}

/** One reply in the making, as scenes see it. */
class Turn {
  constructor(engine, sessionId, session) {
    Object.assign(this, { engine, sessionId, session, id: randomUUID(), text: '', thinking: '', steers: [], sources: [], memories: [], checks: [] });
    this.abort = new AbortController();
    this.calls = 0;
  }

  tell(frame) {
    this.engine.publish({ ...frame, session_id: this.sessionId, turn_id: this.id });
  }

  async pause(ms) {
    await wait(ms);
    this.abort.signal.throwIfAborted();
  }

  async say(text, { ms = 4, step = 6 } = {}) {
    for (let at = 0; at < text.length; at += step) {
      const piece = text.slice(at, at + step);
      this.text += piece;
      this.tell({ type: 'text_delta', text: piece });
      await this.pause(ms);
    }
  }

  think(text) {
    this.thinking += text;
    this.tell({ type: 'thinking_delta', text });
  }

  /** A call with its question, when `ask` says what to ask. `run` answers the result. */
  async call(name, args, run, ask = null) {
    this.calls += 1;
    const callId = `${this.id}-${this.calls}`;
    const row = { role: 'assistant', content: this.text, thinking: this.thinking || null };
    this.engine.store(this.session, { ...row, tool_calls: [{ id: callId, type: 'function', function: { name, arguments: JSON.stringify(args) } }] });
    this.text = '';
    this.thinking = '';
    this.tell({ type: 'tool_call', call_id: callId, name, arguments: args });
    const decision = ask ? await this.ask({ ...ask, call_id: callId, name, arguments: args }) : 'allow';
    const progress = (kind, text) => this.tell({ type: 'tool_progress', call_id: callId, name, kind, text });
    const declined = decision === 'deny';
    const result = declined ? { error: 'You declined this.', declined: true } : await run(progress);
    const check = this.checks.find((one) => one.callId === callId);
    this.tell({ type: 'tool_result', call_id: callId, name, result, is_error: declined || Boolean(result?.error), duration_ms: 12, ...(check && { check }) });
    const approval = ask && { decision, asked_at: now(), answered_at: now(), target: ask.target ?? null, risk_label: ask.risk_label ?? null, untrusted: null, rule: null, warning: null };
    this.engine.store(this.session, { role: 'tool', tool_call_id: callId, name, content: JSON.stringify(result), approval });
    return declined ? null : result;
  }

  ask(question) {
    const approvalId = randomUUID();
    const defaults = { risk: 'write', reason: '', choices: ['allow', 'allow_session', 'allow_timed', 'allow_always', 'deny'], grant_minutes: 60 };
    return new Promise((answered, stopped) => {
      const frame = { type: 'approval_request', ...defaults, approval_id: approvalId, ...question, session_id: this.sessionId, turn_id: this.id };
      this.engine.questions.set(approvalId, { answered, frame });
      this.abort.signal.addEventListener('abort', () => {
        this.engine.questions.delete(approvalId);
        stopped(this.abort.signal.reason);
      });
      this.engine.publish(frame);
    });
  }

  /** Reads what was added meanwhile, as a model does at its next round. */
  readSteers() {
    return this.steers.splice(0).map((text) => {
      this.engine.store(this.session, { role: 'user', content: text, interjection: true });
      this.tell({ type: 'user_interjection', text });
      return text;
    });
  }

  end(failure) {
    const cancelled = this.abort.signal.aborted;
    if (failure) {
      this.tell({ type: 'error', message: failure, recoverable: false });
      this.tell({ type: 'done', content: '', message_id: null, memory_sources: [], sources: [], checks: [], error: failure });
      return;
    }
    const stored = this.engine.store(this.session, { role: 'assistant', content: this.text, thinking: this.thinking || null, sources: this.sources, memory_sources: this.memories, checks: this.checks });
    const rest = { memory_sources: this.memories, sources: this.sources, checks: this.checks, ...(cancelled && { cancelled, dropped: this.steers }) };
    this.tell({ type: 'done', content: this.text, message_id: stored.id, ...rest });
  }
}

async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Every file of the window with one version for all of them, as the gateway lists them for the worker that keeps them. */
async function listing() {
  const names = (await readdir(WEB, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile() && MIME[extname(entry.name)] && entry.name !== 'sw.js')
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(WEB.length - 1)).sort();
  const hash = createHash('sha256');
  for (const name of names) hash.update(await readFile(join(WEB, name)));
  return { bytes: JSON.stringify({ version: hash.digest('hex').slice(0, 16), files: names }), mime: 'application/json', tag: '"list"' };
}

/** A file of the window as the checkout has it, or `null`. */
export async function asset(path) {
  if (path === '/window.json') return listing();
  const name = path === '/' ? 'index.html' : path.slice(1);
  const mime = MIME[extname(name)];
  if (!mime || !/^([a-z0-9-]+\/)*[a-z0-9-]+\.[a-z0-9]+$/.test(name)) return null;
  return readFile(join(WEB, name)).then((bytes) => ({ bytes, mime, tag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }), () => null);
}

/** Starts a mock engine on a free port of 127.0.0.1. */
export async function startMockEngine({ model, ollama, fresh = false }) {
  const { WebSocketServer } = load('ws');
  const engine = new MockEngine({ model, ollama, fresh });
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    const headers = { 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
    const value = await engine.route(request, url);
    if (value?.bytes) {
      response.writeHead(200, { ...headers, 'Content-Type': value.mime });
      return response.end(value.bytes);
    }
    if (value !== undefined) {
      response.writeHead(Number.isInteger(value?.status) ? value.status : 200, { ...headers, 'Content-Type': 'application/json' });
      return response.end(JSON.stringify(value));
    }
    const file = await asset(url.pathname);
    const same = file && request.headers['if-none-match'] === file.tag;
    response.writeHead(same ? 304 : file ? 200 : 404, { ...headers, 'Content-Type': file?.mime ?? 'text/plain', ...(file && { ETag: file.tag, 'Cache-Control': 'no-cache' }) });
    if (same) return response.end();
    return response.end(file?.bytes ?? 'not found');
  });
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    socket.on('error', () => {});
    if (url.searchParams.get('token') !== engine.token) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    const since = url.searchParams.get('since');
    return sockets.handleUpgrade(request, socket, head, (open) => {
      open.on('error', () => {});
      engine.greet(open, since === null ? null : Number(since));
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = () => new Promise((ended) => {
    for (const socket of engine.sockets) socket.terminate();
    for (const turn of engine.turns.values()) turn.abort.abort();
    server.closeAllConnections();
    server.close(ended);
  });
  return { engine, loseFrames: async () => engine.forgetFrames(), port: server.address().port, token: engine.token, stop };
}
