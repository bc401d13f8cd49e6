// What the scripted model does for which message. The flows name the scenes by these words; the program with its
// scripted tour answers the same words in the same way (docs/decisions/0061 and 0096).

import { chatScenes } from './scenes-chat.mjs';

export const WORDS = {
  stream: 'Show me how a reply streams',
  tool: 'Show me a tool at work',
  ask: 'Show me a question before something is changed',
  long: 'Show me a very long reply',
};

/** The model that lets every reply break off, in the mock as in the program. */
export const FAILING = 'scripted/fails';

export const STREAMED = [
  'Here is **how a reply looks**:',
  '',
  '1. It comes word by word.',
  '2. It may hold `code`, lists and [links](https://example.com/a).',
  '',
  '```rust',
  'fn main() { println!("hello"); }',
  '```',
  '',
  '| what | how |',
  '|---|---|',
  '| text | as text |',
  '',
  'That is all.',
].join('\n');

/** What `Count N` answers: a lost or doubled word shows. */
export const longText = (count) => Array.from({ length: count }, (_, index) => index + 1).join(', ');

const LONG_COUNT = 1500;

/** Counts, and then reads what was added meanwhile, as a model does at its next round. */
async function count(turn, to) {
  turn.think('I can count.');
  await turn.say(longText(to), { ms: 6, step: 9 });
  const added = turn.readSteers();
  if (added.length > 0) await turn.say(`You added: ${added.join(', ')}`);
}

export const scenes = [
  {
    says: (text, model) => model === FAILING,
    async play(turn) {
      turn.tell({ type: 'notice', message: 'This chat uses another model for now.', code: 'model_fallback' });
      await turn.say('Half a sentence, th');
      throw new Error('The model did not answer. Try again, or pick another model in Settings > Models.');
    },
  },
  {
    says: (text) => text === WORDS.stream,
    async play(turn) {
      turn.think('The person wants to see a reply. ');
      await turn.pause(40);
      turn.think('Keep it short.');
      await turn.pause(40);
      await turn.say(STREAMED, { ms: 12 });
      turn.tell({
        type: 'usage', model: 'scripted/tour', prompt_tokens: 900, completion_tokens: 120, context_used: 7200,
        context_length: 8192, context_percent: 88, context_warning: 'This chat is getting long for scripted/tour (88% of what it reads at once).',
      });
    },
  },
  {
    says: (text) => text === WORDS.tool,
    async play(turn) {
      await turn.say('I will look at the clock. ');
      const result = await turn.call('current_datetime', { timezone: 'UTC' }, async (progress) => {
        progress('status', 'asking the clock');
        await turn.pause(60);
        progress('stdout', 'tick\n');
        progress('stdout', 'tock\n');
        return { time: '12:00' };
      });
      turn.sources.push({ kind: 'web', title: 'About clocks', url: 'https://example.com/clocks', app: 'web', tool: 'web_search' });
      await turn.say(`It is ${result.time}.`);
    },
  },
  {
    says: (text) => text === WORDS.ask,
    async play(turn) {
      await turn.say('I would like to keep a note. ');
      const ask = { risk_label: 'Changes something', target: 'notes/tour.md' };
      const run = async () => ({ ok: true, name: 'notes/tour.md' });
      const result = await turn.call('file_write', { name: 'notes/tour.md', content: 'hello' }, run, ask);
      await turn.say(result ? 'The note is kept.' : 'Then I leave it.');
    },
  },
  ...chatScenes,
  {
    says: (text) => text === WORDS.long,
    async play(turn) {
      await turn.say(longText(LONG_COUNT), { ms: 12, step: 5 });
    },
  },
  {
    says: (text) => /^Count \d+$/.test(text),
    play: (turn, text) => count(turn, Number(text.split(' ')[1])),
  },
  {
    // `Hostile <json text>`: the same text everywhere a text can come from.
    says: (text) => text.startsWith('Hostile '),
    async play(turn, message) {
      const text = JSON.parse(message.slice('Hostile '.length));
      turn.engine.session(turn.sessionId).row.title = text;
      turn.think(text);
      await turn.say(text, { step: 7, ms: 0 });
      const ask = { reason: text, risk_label: text, target: text, untrusted: text, warning: text,
        preview: { kind: 'email', title: text, fields: [{ label: text, value: text }], body: text } };
      await turn.call(text, { [text]: text }, async (progress) => {
        progress('status', text);
        progress('stdout', text);
        return { error: text, more: [text, { [text]: text }] };
      }, ask);
      turn.tell({ type: 'notice', message: text, code: 'model_fallback' });
      turn.sources.push({ kind: 'web', title: text, url: text, from: text, app: text, tool: text });
      await turn.say(text, { step: 1000, ms: 0 });
    },
  },
];
