// What the small engine answers about chats beyond their messages: undo windows, rule proposals, trust, helpers, memories,
// search, models, cost and stored files, in the shapes of the contract.

import { randomUUID } from 'node:crypto';

const now = () => new Date().toISOString().replace('Z', '+00:00');

/** A red dot, as a picture the assistant made. */
export const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC', 'base64');

/** A frame of a window that is about a chat; answers whether it was. */
export function chatFrame(engine, frame) {
  if (frame.type !== 'undo.respond') return false;
  const done = settleUndo(engine, frame.undo_id, frame.action);
  engine.publish({ type: 'undo.ack', undo_id: frame.undo_id, action: frame.action, done });
  return true;
}

function settleUndo(engine, id, action) {
  const settle = engine.undos?.get(id);
  engine.undos?.delete(id);
  settle?.(action);
  return settle !== undefined;
}

const ROUTES = [
  ['GET', /^\/api\/sessions\/([^/]+)\/rule-proposals$/, (engine, [id]) => [...(engine.proposals?.values() ?? [])].filter((one) => one.session_id === id && one.status === 'pending')],
  ['POST', /^\/api\/rule-proposals\/([^/]+)$/, decide],
  ['POST', /^\/api\/sessions\/([^/]+)\/trust$/, trust],
  ['GET', /^\/api\/sessions\/([^/]+)\/subagents$/, (engine, [id]) => [...(engine.helpers?.values() ?? [])].filter((one) => one.session_id === id)],
  ['GET', /^\/api\/subagents\/([^/]+)$/, (engine, [id]) => ({ ...engine.helpers.get(id), stop: undefined, events: stepsOf(engine.helpers.get(id)) })],
  ['POST', /^\/api\/subagents\/([^/]+)\/cancel$/, (engine, [id]) => {
    const helper = engine.helpers.get(id);
    helper.stop?.();
    return { ...helper, status: 'cancelled', stop: undefined };
  }],
  ['POST', /^\/api\/undo$/, (engine, _, { undo_id: id, action }) => (settleUndo(engine, id, action) ? { done: true, action } : { status: 404, detail: 'It is too late.' })],
  ['POST', /^\/api\/approvals$/, (engine, _, answer) => (engine.resolve(answer) ? { resolved: true } : { status: 404, detail: 'Nothing is waiting.' })],
  ['DELETE', /^\/api\/memories\/(\d+)$/, (engine, [id]) => forget(engine, { id, how: 'deleted' })],
  ['PUT', /^\/api\/memories\/(\d+)$/, (engine, [id], { content }) => forget(engine, { id, how: content })],
  ['GET', /^\/api\/sessions\/search$/, (engine, _, __, url) => find(engine, url.searchParams.get('q').toLowerCase())],
  ['POST', /^\/api\/sessions$/, (engine, _, __, url) => {
    const id = randomUUID();
    const { row } = engine.session(id, '');
    Object.assign(row, { model: url.searchParams.get('model'), incognito: url.searchParams.get('incognito') === 'true' });
    return { session_id: id };
  }],
  ['GET', /^\/api\/files\/content\/(.+)$/, content],
  ['HEAD', /^\/api\/files\/content\/(.+)$/, content],
];

/** A value to answer with, or undefined when the request is about something else. */
export async function chatRoute(engine, request, url, body) {
  for (const [method, pattern, answer] of ROUTES) {
    const found = request.method === method ? pattern.exec(url.pathname) : null;
    if (!found) continue;
    const text = ['POST', 'PUT'].includes(method) ? await body() : '';
    return answer(engine, found.slice(1).map(decodeURIComponent), text ? JSON.parse(text) : {}, url);
  }
  return undefined;
}

/** What a helper is said to have done, as its log has it. */
function stepsOf(helper) {
  const step = (type, content, more = {}) => ({ timestamp: helper.started_at, message: { type, content, ...more } });
  const steps = [step('thought', 'I look at the map first.'), step('tool_call', 'Using Maps search places', { tool_name: 'maps_search_places', parameters: { query: 'quiet café' } }),
    step('tool_result', '', { tool_name: 'maps_search_places', result: '{"count":3}', is_error: false })];
  return helper.status === 'completed' ? [...steps, step('final_answer', helper.summary)] : steps;
}

function decide(engine, [id], { decision }) {
  const proposal = engine.proposals?.get(id);
  if (!proposal) return { status: 404, detail: 'There is no such proposal.' };
  if (proposal.status !== 'pending') return { status: 409, detail: 'It was answered already.' };
  Object.assign(proposal, { status: decision === 'accept' ? 'accepted' : 'declined', decided_at: now() });
  engine.publish({ type: 'rule_proposal.updated', data: proposal, ts: now() });
  return proposal;
}

function trust(engine, [id], { upto }) {
  const session = engine.sessions.get(id);
  engine.trustedUpto = upto;
  const was = session.row.untrusted;
  session.row.untrusted = engine.newer ?? '';
  engine.publish({ type: 'session.updated', data: { session_id: id, untrusted: session.row.untrusted }, ts: now() });
  const trusted = !engine.newer;
  if (trusted) engine.store(session, { role: 'event', name: 'trusted', content: JSON.stringify({ event: 'trusted', was, via: 'desktop' }) });
  return { ok: true, was, trusted, untrusted: session.row.untrusted, writer: '' };
}

function forget(engine, what) {
  engine.forgotten = [...(engine.forgotten ?? []), what];
  return { ok: true };
}

function find(engine, words) {
  const hits = [...engine.sessions.values()].filter(({ row }) => !row.incognito).flatMap(({ row, messages }) => messages
    .filter(({ content }) => content.toLowerCase().includes(words))
    .map(({ id, role, content, created_at }) => ({ session_id: row.id, message_id: id, role, snippet: content.slice(0, 240), created_at })));
  return hits.slice(0, 30);
}

function content(engine, [name]) {
  if (name.startsWith('charts/')) return { bytes: PICTURE, mime: 'image/png' };
  return engine.files.has(name) ? { bytes: Buffer.from(engine.files.get(name)), mime: 'text/plain' } : { status: 404, detail: 'There is no such file.' };
}
