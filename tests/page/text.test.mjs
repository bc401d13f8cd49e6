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

/** Every setting of the program, from the page that is generated from its schema. */
const settings = [...readFileSync(join(WEB, '..', 'docs', 'config.md'), 'utf8').matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, key]) => key);
/** Those that other pages of the settings show, in words of their own. */
const ELSEWHERE = /^(models\.(roles\.|presets$|active_preset$)|tools\.approvals\.(rules|rule_origins)$|assistant\.onboarding_complete$)/;

test('the German words of the settings are of settings there are, and of whole sections', async () => {
  const words = (await import('../../web/text/settings-de.js')).default;
  assert.ok(settings.length > 100, `${settings.length} settings were found`);
  const rows = Object.entries(words);
  const described = rows.filter(([, found]) => Array.isArray(found)).map(([key]) => key);
  assert.deepEqual(described.filter((key) => !settings.includes(key)), [], 'of settings that are not there');
  const sections = rows.filter(([key, found]) => typeof found === 'string' && !/[.=]/.test(key)).map(([key]) => key);
  for (const section of ['assistant', 'ui', 'chat', 'models', 'tools', 'memory']) assert.ok(sections.includes(section), section);
  const missing = settings.filter((key) => sections.includes(key.split('.')[0]) && !ELSEWHERE.test(key) && !described.includes(key));
  assert.deepEqual(missing, [], 'a section is translated whole or not at all');
  for (const [key, found] of rows) {
    for (const text of [found].flat()) assert.ok(text.trim() === text && text !== '', key);
    if (typeof found === 'string' && /[.=]/.test(key)) assert.ok(settings.some((known) => known === key.split('=')[0] || known.startsWith(`${key}.`)), key);
  }
});
