// Scenes of the chat that the scripted tour of the program does not have: what waits to be undone, what is handed over,
// rules that may be made, helpers, formulas, pictures, and what goes wrong. Each is named by the words that begin it.

import { randomUUID } from 'node:crypto';

const now = (ms = 0) => new Date(Date.now() + ms).toISOString().replace('Z', '+00:00');
const callOf = (turn) => `${turn.id}-${turn.calls}`;

export const EMAIL = { kind: 'email', title: 'Email', fields: [{ label: 'To', value: 'sam@example.com' }, { label: 'Subject', value: 'Lunch & more' }], body: 'Friday at 1?\n\nBest,\nMaya' };

export const RICH = [
  '## The plan', '', 'A **sum** over squares, $\\sum_{k=1}^{n} k^2$, is', '', '$$', '\\frac{n(n+1)(2n+1)}{6}', '$$', '',
  'and costs $5 or $10. In code:', '', '```python', 'def squares(n):', '    return sum(k * k for k in range(n + 1))  # quick', '```', '',
  '- [x] read it', '- [ ] try it', '', '| n | sum |', '|--:|:--|', '| 3 | 14 |', '| 10 | 385 |', '', '> It grows with the cube.', '',
  '![A red dot](/api/files/content/charts/dot.png)', '', '![A pixel](https://outside.invalid/pixel.png)', '', 'See [the proof](https://example.com/proof).',
].join('\n');

/** Ten thousand pieces of about a word, with all kinds of blocks in them. */
export function manyTokens(count = 10_000) {
  const blocks = ['Some **words** with `code` and more words behind them to fill a line or two of it. ', '\n\n- one thing\n- another thing\n- a third thing\n\n',
    '```js\nconst a = 1; // words\nconst b = a + 2;\n```\n\n', '| a | b |\n|---|---|\n| some | words |\n| more | words |\n\n'];
  const pieces = [];
  for (let at = 0; pieces.length < count; at += 1) pieces.push(...blocks[at % 7 === 3 ? 1 : at % 11 === 5 ? 2 : at % 13 === 7 ? 3 : 0].match(/\s*\S+\s*/g));
  return pieces.slice(0, count);
}

async function send(turn) {
  await turn.say('I will send it. ');
  const result = await turn.call('gmail_send', { to: 'sam@example.com', subject: 'Lunch & more', body: EMAIL.body }, async () => {
    const undoId = randomUUID();
    turn.engine.undos ??= new Map();
    const action = await new Promise((settled, stopped) => {
      const seconds = turn.engine.undoSeconds ?? 10;
      const timer = setTimeout(() => settled('over'), seconds * 1000);
      turn.engine.undos.set(undoId, (given) => {
        clearTimeout(timer);
        settled(given);
      });
      turn.abort.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        stopped(turn.abort.signal.reason);
      });
      turn.tell({ type: 'undo_window', undo_id: undoId, call_id: callOf(turn), name: 'gmail_send', seconds, until: now(seconds * 1000), preview: EMAIL });
    });
    turn.engine.undos.delete(undoId);
    if (action === 'undo') return { error: 'NOT SENT. The user pressed Undo in Sentient.', undone: true };
    turn.checks.push({ callId: callOf(turn), tool: 'gmail_send', app: 'Gmail', kind: 'email', action: 'email sent', ok: true, detail: '', how: 'read_back', targets: ['sam@example.com'], missed: [] });
    return { id: '1', status: 'sent' };
  });
  await turn.say(result.undone ? 'It was not sent.' : 'It is sent.');
}

async function helpers(turn, background) {
  const helper = { subagent_id: randomUUID(), session_id: turn.sessionId, goal: 'Find three quiet cafés', kind: 'worker', status: 'running', background, summary: '', error: null, tool_calls: 0, started_at: now(), finished_at: null };
  turn.engine.helpers = new Map([[helper.subagent_id, helper]]);
  const news = (changed) => {
    Object.assign(helper, changed);
    turn.engine.publish({ type: 'subagent.updated', data: { ...helper, stop: undefined }, ts: now() });
  };
  await turn.call('delegate_task', { goal: helper.goal, background }, async () => {
    helper.parent_call_id = callOf(turn);
    news({});
    turn.tell({ type: 'tool_progress', call_id: callOf(turn), name: 'delegate_task', kind: 'subagent', data: { subagent_id: helper.subagent_id, message: 'Looking at a map' } });
    if (background) return { subagent_id: helper.subagent_id, status: 'running' };
    const stopped = await new Promise((done) => {
      helper.stop = () => done(true);
      turn.engine.finishHelper = () => done(false);
    });
    news({ status: stopped ? 'cancelled' : 'completed', summary: stopped ? '' : '1. **Leaf**\n2. Pause\n3. Nook', tool_calls: 4, finished_at: now() });
    return { subagent_id: helper.subagent_id, status: helper.status, summary: helper.summary, files_created: [] };
  });
  if (background) turn.engine.finishHelper = () => news({ status: 'completed', summary: 'Three of them.', tool_calls: 2 });
  await turn.say('That is what I know.');
}

export const chatScenes = [
  { says: (text) => text === 'Send the email', play: send },
  {
    says: (text) => text === 'Ask before sending',
    async play(turn) {
      const ask = { risk: 'send', reason: 'Sends', risk_label: 'Sends', target: 'sam@example.com', preview: EMAIL, choices: ['allow', 'deny'],
        untrusted: 'Sentient read content from Web in this chat, so it checks with you before sending anything.',
        warning: 'You asked to email Arjun, but this goes to sam@example.com. That address came from Web, not from you.' };
      const result = await turn.call('gmail_send', { to: 'sam@example.com', subject: 'Lunch & more', body: EMAIL.body }, async () => ({ status: 'sent' }), ask);
      await turn.say(result ? 'It is sent.' : 'Then I leave it.');
    },
  },
  {
    says: (text) => text === 'Hand it to me',
    async play(turn) {
      await turn.call('gmail_send', { to: 'sam@example.com' }, async () => ({ handed_off: true, message: 'NOT DONE by Sentient: Gmail is set to "Hand it to me".', label: 'Gmail > Send', title: 'Email', preview: EMAIL }));
      await turn.call('terminal_run', { command: 'make' }, async () => ({ handed_off: true, message: 'NOT DONE by Sentient.', label: 'Run a command', title: 'Run a command', preview: null, details: [{ label: 'Command', value: 'make -j2' }] }));
      await turn.say('Both are ready for you.');
    },
  },
  {
    says: (text) => text.startsWith('Never '),
    async play(turn, said) {
      const proposal = { id: randomUUID(), session_id: turn.sessionId, message_id: turn.session.messages.at(-1).id, said, rule: 'never', keys: ['gmail_trash'], targets: [{ key: 'gmail_trash', app: 'Gmail', tool: 'Trash', label: 'Gmail > Trash' }], status: 'pending', created_at: now(), decided_at: null };
      turn.engine.proposals = new Map([[proposal.id, proposal]]);
      turn.engine.publish({ type: 'rule_proposal.updated', data: proposal, ts: now() });
      await turn.say('I keep that in mind.');
    },
  },
  { says: (text) => text === 'Use a helper', play: (turn) => helpers(turn, false) },
  { says: (text) => text === 'Use a background helper', play: (turn) => helpers(turn, true) },
  { says: (text) => text === 'Show me everything Markdown can', play: (turn) => turn.say(RICH, { ms: 2, step: 9 }) },
  {
    says: (text) => text === 'Read my mail',
    async play(turn) {
      await turn.call('gmail_search', { query: 'is:unread' }, async () => ({ messages: [{ subject: 'Lunch', from: 'Sam <sam@example.com>', snippet: 'Friday?' }, { subject: 'Invoice 17', from: 'shop@example.com', snippet: 'Paid' }] }));
      turn.session.row.untrusted = 'Gmail';
      turn.engine.publish({ type: 'session.updated', data: { session_id: turn.sessionId, untrusted: 'Gmail' }, ts: now() });
      turn.sources.push({ kind: 'email', title: 'Lunch', from: 'sam@example.com', id: '1', app: 'gmail', tool: 'gmail_search', snippet: 'Friday?' }, { kind: 'file', title: 'plan.txt', file: 'uploads/plan.txt', app: 'files', tool: 'file_read' });
      turn.memories.push({ kind: 'fact', id: 7, text: 'Maya likes lunch on Fridays', source: 'conversation', via: 'prompt' });
      await turn.say('Two messages: Sam asks about lunch, and an invoice.');
    },
  },
  {
    says: (text) => text === 'Remember this',
    async play(turn) {
      await turn.say('I will.');
      const memory = { action: 'ADD', session_id: turn.sessionId };
      setTimeout(() => {
        turn.engine.publish({ type: 'memory.updated', data: { ...memory, id: 12, content: 'Maya prefers trains' }, ts: now() });
        turn.engine.publish({ type: 'memory.updated', data: { ...memory, id: 13, content: 'Always forward mail', status: 'pending', reason: 'instruction' }, ts: now() });
      }, 20);
    },
  },
  {
    says: (text) => text === 'Too many requests',
    async play() {
      throw new Error('OpenRouter\'s free models have reached today\'s limit. Add credits on openrouter.ai, wait until tomorrow, or pick another model in Settings > Models.');
    },
  },
  {
    says: (text) => text === 'Spend too much',
    async play(turn) {
      turn.tell({ type: 'error', message: 'This month\'s model budget is used up.', recoverable: false, code: 'budget_reached' });
      turn.ended = true;
      turn.tell({ type: 'done', content: '', message_id: null, memory_sources: [], sources: [], checks: [], error: 'budget' });
    },
  },
  {
    says: (text) => text === 'Say it did not work',
    async play(turn) {
      turn.checks.push({ tool: 'gmail_send', app: 'Gmail', kind: 'email', action: 'email sent', ok: false, detail: 'the mailbox was not found', how: 'result', targets: ['bad@example.com'], missed: ['bad@example.com'], message: 'Sentient said it sent the email, but Gmail reported a problem: the mailbox was not found.' });
      await turn.say('I sent it.');
    },
  },
  {
    says: (text) => /^Stream \d+ tokens$/.test(text),
    async play(turn, text) {
      const pieces = manyTokens(Number(text.split(' ')[1]));
      for (let at = 0; at < pieces.length; at += 1) {
        turn.text += pieces[at];
        turn.tell({ type: 'text_delta', text: pieces[at] });
        // 2,400 pieces a second, or so many with each frame of a window that says when it has drawn one (bench-chat.mjs).
        if (turn.engine.byFrames && at % turn.engine.byFrames === turn.engine.byFrames - 1) await new Promise((done) => (turn.engine.beat = done));
        else if (!turn.engine.byFrames && at % 20 === 19) await turn.pause(8);
      }
    },
  },
];
