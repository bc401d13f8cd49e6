// The picture of a chat, from frames and rows, without a browser: `web/chat/conversation.js` touches no DOM.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conversations } from '../../web/chat/conversation.js';
import { modelHint } from '../../web/chat/model-hint.js';
import { itemsOf } from '../../web/chat/rows.js';

const S = 's1';
const session = (clientId) => ({ type: 'session', session_id: S, client_id: clientId });
const frame = (type, rest = {}) => ({ type, session_id: S, turn_id: 't1', ...rest });
const text = (words) => frame('text_delta', { text: words });
const done = (rest = {}) => frame('done', { content: '', message_id: 'm', memory_sources: [], sources: [], checks: [], ...rest });
const tool = (id) => frame('tool_call', { call_id: id, name: 'time_now', arguments: {} });
const result = (id, value, isError = false) =>
  frame('tool_result', { call_id: id, name: 'time_now', result: value, is_error: isError, duration_ms: 3 });

function hearing(...frames) {
  const all = new Conversations();
  for (const one of frames) all.hear(one);
  return { all, chat: all.chat(S), reply: all.chat(S).items.find((item) => item.kind === 'reply') };
}

const outline = (reply) => reply.blocks.map((block) => block.text ?? `${block.callId}:${block.state}`);

test('deltas join, calls part them, and each turn ends once', () => {
  for (const [name, frames, state, want] of [
    ['text', [text('a'), text('b'), done({ content: 'ab' })], 'done', ['ab']],
    ['thinking apart', [frame('thinking_delta', { text: 'hm' }), text('a'), done({ content: 'a' })], 'done', ['hm', 'a']],
    ['a call in between', [text('a'), tool('c'), result('c', {}), text('b'), done({ content: 'b' })], 'done', ['a', 'c:done', 'b']],
    ['the final text wins', [text('a'), done({ content: 'a and more' })], 'done', ['a and more']],
    ['nothing was streamed', [done({ content: 'all at once' })], 'done', ['all at once']],
    ['final text of all rounds', [text('a '), tool('c'), result('c', {}), text('b'), done({ content: 'a b' })], 'done', ['a ', 'c:done', 'b']],
    ['a failed call', [tool('c'), result('c', { error: 'no' }, true), done()], 'done', ['c:failed']],
    ['a declined call', [tool('c'), result('c', { error: 'no', declined: true }, true), done()], 'done', ['c:declined']],
    ['a call without an end', [tool('c'), done({ cancelled: true })], 'stopped', ['c:ended']],
    ['a failure', [text('a'), frame('error', { message: 'no model', recoverable: false }), done({ error: 'no model' })], 'failed', ['a', 'no model']],
    ['progress before its call', [frame('tool_progress', { call_id: 'c', name: 'x', kind: 'stdout', text: 'o' }), tool('c'), done()], 'done', ['c:ended']],
  ]) {
    const { all, chat, reply } = hearing(session(), ...frames);
    assert.equal(reply.state, state, name);
    assert.deepEqual(outline(reply), want, name);
    assert.equal(all.running(chat), null, name);
    assert.equal(chat.items.length, 1, name);
  }
});

test('a message is confirmed by its own name, and a new chat gets its id', () => {
  const all = new Conversations();
  const { draft } = all;
  const item = all.addMessage(draft, 'mine', 'hello', [], false);
  all.hear({ type: 'session', session_id: 'other', client_id: 'theirs' });
  assert.equal(item.state, 'sending');
  const change = all.hear(session('mine'));
  assert.equal(item.state, 'stored');
  assert.ok(change.adopted && change.chat === draft && all.chat(S) === draft && draft.id === S);
  assert.notEqual(all.draft, draft, 'the next new chat is another one');
});

test('a new chat left at once still gets its id', () => {
  const all = new Conversations();
  const first = all.draft;
  const item = all.addMessage(first, 'mine', 'hello', [], false);
  all.newDraft();
  assert.deepEqual(all.unconfirmed().map((open) => open.item), [item]);
  all.hear(session('mine'));
  assert.equal(all.chat(S), first);
  assert.equal(all.unconfirmed().length, 0);
});

test('a message added to a reply is shown once', () => {
  const { all, chat, reply } = hearing(session(), text('a'));
  all.addMessage(chat, 'more', 'be quick', [], true);
  all.hear({ type: 'steer_ack', session_id: S, queued: true, client_id: 'more' });
  assert.equal(chat.items.at(-1).state, 'joining');
  all.hear(frame('user_interjection', { text: 'be quick' }));
  assert.deepEqual(chat.items, [reply]);
  assert.deepEqual(outline(reply), ['a', 'be quick']);
});

test('messages behind a stopped reply are named as not sent', () => {
  const { all, chat } = hearing(session(), text('a'));
  all.addMessage(chat, 'more', 'be quick', [], true);
  all.hear({ type: 'steer_ack', session_id: S, queued: true, client_id: 'more' });
  all.hear(done({ content: 'a', cancelled: true, dropped: ['be quick', 'another'] }));
  assert.deepEqual(chat.items.slice(1).map((item) => [item.text, item.state]), [['be quick', 'dropped'], ['another', 'dropped']]);
});

test('a refused message says why', () => {
  const { all, chat } = hearing(session());
  const item = all.addMessage(chat, 'mine', 'hello', [], false);
  all.hear({ type: 'error', session_id: S, message: 'Too many messages wait.', recoverable: true, dropped: true, client_id: 'mine' });
  assert.deepEqual([item.state, item.problem], ['refused', 'Too many messages wait.']);
  assert.equal(chat.items.length, 1);
});

test('a question is open until it is answered, declined or over', () => {
  const ask = frame('approval_request', { call_id: 'c', name: 'x', arguments: {}, approval_id: 'a', choices: ['allow', 'deny'] });
  for (const [name, frames, want] of [
    ['open', [], 'open'],
    ['answered elsewhere', [result('c', {})], 'answered'],
    ['declined elsewhere', [result('c', { error: 'no', declined: true }, true)], 'gone'],
    ['acknowledged', [{ type: 'approval.ack', approval_id: 'a', resolved: true }], 'answered'],
    ['too late', [{ type: 'approval.ack', approval_id: 'a', resolved: false }], 'gone'],
    ['the reply ended', [done({ cancelled: true })], 'gone'],
    ['another question', [{ type: 'approval.ack', approval_id: 'b', resolved: true }], 'open'],
  ]) {
    const { reply } = hearing(session(), tool('c'), ask, ...frames);
    assert.equal(reply.blocks[0].approval.state, want, name);
  }
});

test('a question heard twice stays as it is', () => {
  const ask = frame('approval_request', { call_id: 'c', name: 'x', arguments: {}, approval_id: 'a', choices: ['allow', 'deny'] });
  const { all, chat, reply } = hearing(ask);
  assert.ok(all.asks(S), 'the list can say that the chat waits');
  all.answered('a', 'sent', 'allow');
  assert.deepEqual(all.unheardAnswers(), [{ approvalId: 'a', decision: 'allow' }]);
  all.hear(ask);
  assert.equal(reply.blocks.length, 1);
  assert.equal(reply.blocks[0].approval.state, 'sent', 'the given answer is not taken back');
  all.hear({ type: 'approval.ack', approval_id: 'a', resolved: true });
  assert.deepEqual([all.asks(S), all.unheardAnswers()], [false, []]);
  assert.equal(all.running(chat), reply);
});

test('what was not heard from its beginning is fetched', () => {
  for (const [name, before, now, want] of [
    ['a message of another window', [], { ...session('theirs') }, true],
    ['a reply joined in the middle', [], text('b'), true],
    ['more of it', [text('b')], text('c'), false],
    ['a reply that was announced', [session()], text('a'), false],
  ]) {
    const all = new Conversations();
    for (const one of before) all.hear(one);
    assert.equal(all.hear(now).unseen, want, name);
  }
  const all = new Conversations();
  all.addMessage(all.draft, 'mine', 'hello', [], false);
  assert.equal(all.hear(session('mine')).unseen, false, 'its own message');
});

test('a message that came too late to join becomes one of its own', () => {
  const { all, chat } = hearing(session(), text('a'));
  const late = all.addMessage(chat, 'late', 'one more', [], true);
  all.hear({ type: 'steer_ack', session_id: S, queued: true, client_id: 'late' });
  all.hear(done({ content: 'a' }));
  assert.equal(late.state, 'stored');
  all.hear({ ...text('b'), turn_id: 't2' });
  assert.deepEqual(chat.items.map(({ kind }) => kind), ['reply', 'user', 'reply']);
  assert.ok(all.running(chat).whole, 'it is heard from its beginning');
});

const ROWS = [
  { role: 'user', content: 'what time', attachments: ['a.txt'] },
  { role: 'assistant', content: 'I look.', thinking: 'hm', tool_calls: [{ id: 'c', function: { name: 'time_now', arguments: '{"zone":"UTC"}' } }] },
  { role: 'tool', content: '{"time":"12"}', tool_call_id: 'c', name: 'time_now' },
  { role: 'user', content: 'quick', interjection: true },
  { role: 'assistant', content: 'Twelve.', sources: [{ kind: 'web', title: 't' }] },
  { role: 'other', content: 'hi', name: 'Priya' },
  { role: 'event', name: 'trusted', content: '{"event":"trusted"}' },
  { role: 'tool', content: 'not json', tool_call_id: 'lost', name: 'x' },
];

test('stored rows fold into replies', () => {
  const items = itemsOf(ROWS);
  assert.deepEqual(items.map(({ kind }) => kind), ['user', 'reply', 'other', 'event', 'reply']);
  assert.deepEqual(outline(items[1]), ['hm', 'I look.', 'c:done', 'quick', 'Twelve.']);
  assert.deepEqual(items[1].blocks[2].args, { zone: 'UTC' });
  assert.deepEqual(items[1].blocks[2].result, { time: '12' });
  assert.equal(items[1].sources.length, 1);
  assert.deepEqual(outline(items[4]), ['lost:done'], 'a result without its call is still shown');
});

test('rows and a reply in the making fit together', () => {
  const rows = ROWS.slice(0, 3);
  const whole = hearing(session(), text('I look.'), tool('c'), result('c', { time: '12' }), text('Tw'));
  whole.all.load(whole.chat, rows);
  assert.deepEqual(outline(whole.chat.items[1]), ['I look.', 'c:done', 'Tw'], 'heard from its beginning');
  const halfway = hearing(tool('c'), result('c', { time: '12' }), text('Tw'));
  halfway.all.load(halfway.chat, rows);
  assert.deepEqual(outline(halfway.chat.items[1]), ['hm', 'I look.', 'c:done', 'Tw'], 'joined halfway');
  for (const { all, chat } of [whole, halfway]) {
    assert.deepEqual(chat.items.map(({ kind }) => kind), ['user', 'reply']);
    assert.equal(all.running(chat), chat.items[1]);
    all.hear(text('elve.'));
    assert.equal(outline(chat.items[1]).at(-1), 'Twelve.');
  }
});

test('after lost frames nothing half-heard stays, and messages on their way do', () => {
  const { all, chat } = hearing(session(), text('half'));
  const item = all.addMessage(chat, 'mine', 'hello', [], false);
  all.forget();
  all.load(chat, ROWS);
  assert.equal(all.running(chat), null);
  assert.equal(chat.items.at(-1), item);
});

test('the model hint says what is missing', () => {
  const has = (...names) => ({ ollama: { reachable: true, models: names.map((name) => ({ name, is_embedding: name === 'e' })) } });
  for (const [name, primary, local, want, choices] of [
    ['there', 'ollama_chat/q:8b', has('q:8b'), null],
    ['there without its tag', 'ollama/q', has('q:latest'), null],
    ['not on this computer at all', 'openai/gpt', has(), null],
    ['not downloaded', 'ollama_chat/q:8b', has('s', 'e'), /q:8b is not downloaded/, ['ollama_chat/s']],
    ['Ollama is not there', 'ollama_chat/q', { ollama: { reachable: false, models: [] } }, /does not answer/, []],
    ['none chosen', null, has('s'), /No model/, ['ollama_chat/s']],
  ]) {
    const hint = modelHint(primary, local);
    if (want === null) {
      assert.equal(hint, null, name);
    } else {
      assert.match(hint.text, want, name);
      assert.deepEqual(hint.choices, choices, name);
    }
  }
});
