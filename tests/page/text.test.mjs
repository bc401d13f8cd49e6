// Every language says everything: the same keys, the same names in them, and no key that nobody uses.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ICONS } from '../../web/vendor/lucide/icons.js';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const LANGUAGES = readdirSync(join(WEB, 'text')).filter((name) => /^[a-z]{2}\.js$/.test(name)).map((name) => name.slice(0, 2));
const files = readdirSync(WEB, { recursive: true }).filter((name) => name.endsWith('.js') && !name.startsWith('vendor') && !name.startsWith('text'));
const code = files.map((name) => readFileSync(join(WEB, name), 'utf8')).join('\n');

const messagesOf = async (language) => (await import(`../../web/text/${language}.js`)).default;
const forms = (message) => (typeof message === 'string' ? [message] : [message.one, message.other]);
const names = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test('every language has every key, with the same names to fill in', async () => {
  const english = await messagesOf('en');
  assert.ok(LANGUAGES.includes('de'));
  for (const language of LANGUAGES) {
    const messages = await messagesOf(language);
    assert.deepEqual(Object.keys(messages).sort(), Object.keys(english).sort(), language);
    for (const [key, message] of Object.entries(messages)) {
      assert.equal(typeof message, typeof english[key], `${language} ${key}`);
      for (const text of forms(message)) {
        assert.ok(text.trim() === text && text !== '', `${language} ${key}: ${JSON.stringify(text)}`);
        // "one" may leave the number out; nothing may be asked for that nobody gives.
        const given = names(forms(english[key]).join(' '));
        assert.deepEqual(names(text).filter((name) => !given.includes(name)), [], `${language} ${key}`);
      }
      assert.deepEqual(names(forms(message).at(-1)), names(forms(english[key]).at(-1)), `${language} ${key}`);
    }
  }
});

test('the keys in the code are there, and those that are there are used', async () => {
  const english = await messagesOf('en');
  const plain = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key);
  assert.ok(plain.length > 10, `${plain.length} were found`);
  assert.deepEqual(plain.filter((key) => !Object.hasOwn(english, key)), []);
  // Keys put together from parts are named by their beginning, as in `busy.${job}`.
  const begun = [...code.matchAll(/`([a-z_]+(?:\.[a-z_]+)*\.)\$\{/g)].map(([, start]) => start);
  const quoted = new Set([...code.matchAll(/'([a-z_]+(?:\.[a-z_A-Z0-9]+)+)'/g)].map(([, key]) => key));
  const unused = Object.keys(english).filter((key) => !quoted.has(key) && !begun.some((start) => key.startsWith(start)));
  assert.deepEqual(unused, []);
});

test('a language file says no key twice', () => {
  for (const language of LANGUAGES) {
    const keys = [...readFileSync(join(WEB, 'text', `${language}.js`), 'utf8').matchAll(/^ {2}'([^']+)':/gm)].map(([, key]) => key);
    assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), [], language);
  }
});

test('every icon that is drawn is one of those there are', () => {
  const drawn = [...code.matchAll(/\bicon\('([^']+)'/g), ...code.matchAll(/\bicon: '([^']+)'/g)].map(([, name]) => name);
  assert.ok(drawn.length >= 3);
  assert.deepEqual(drawn.filter((name) => !Object.hasOwn(ICONS, name)), []);
});
