// The types the comments of `web/` give: the compiler reads the same files the browser runs.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { resolve } from './tools.mjs';

test('the types of the window fit together', () => {
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('typescript/lib/tsc.js'), '-p', project], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
