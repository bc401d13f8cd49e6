// What the scripted model does for which message. The flows name the scenes by these words; a real engine with its
// scripted tour answers the same words (docs/decisions/0061).

export const WORDS = {
  stream: 'Show me how a reply streams',
  tool: 'Show me a tool at work',
  ask: 'Show me a question before something is changed',
  long: 'Show me a very long reply',
  fail: 'Show me a reply that fails',
};

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

/** The numbered words of the long reply, so that a lost or doubled one shows. */
export const longText = (count) => Array.from({ length: count }, (_, index) => `w${index} `).join('');

const LONG_WORDS_MAX = 3000;

export const scenes = [
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
      const result = await turn.call('time_now', { zone: 'UTC' }, async (progress) => {
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
  {
    says: (text) => text === WORDS.long,
    async play(turn) {
      for (let index = 0; index < LONG_WORDS_MAX; index += 1) {
        await turn.say(`w${index} `, { ms: 5, step: 40 });
        const added = turn.readSteers();
        if (added.length > 0) return turn.say(`You added: ${added.join(', ')}`);
      }
      return undefined;
    },
  },
  {
    says: (text) => text === WORDS.fail,
    async play(turn) {
      turn.tell({ type: 'notice', message: 'This chat uses another model for now.', code: 'model_fallback' });
      await turn.say('Half a sentence, th');
      throw new Error('The model did not answer. Try again, or pick another model in Settings > Models.');
    },
  },
  {
    // `Count N`: a reply of N numbered words.
    says: (text) => /^Count \d+$/.test(text),
    play: (turn, text) => turn.say(longText(Number(text.split(' ')[1])), { ms: 6, step: 9 }),
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
