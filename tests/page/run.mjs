// Runs the page tests and ends with one line that says how they went. Exit: 0 all passed, 1 some failed, 77 nothing could
// run because a tool is missing (a visible skip, never a silent pass).
//
//   node tests/page/run.mjs [pattern of file names] [pattern of test names]
//
// With SENTIENT_BINARY set, the flows run against that program; otherwise against the small engine in mock-engine.mjs.
// With SENTIENT_WEB=1 too, the program is given the window of the checkout (overlay.mjs): no build after each change of it.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { missing } from './tools.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const lacks = missing();
if (lacks.length > 0) {
  console.log(`page tests: SKIPPED, missing: ${lacks.join(', ')}`);
  process.exit(77);
}

const wanted = new RegExp(process.argv[2] ?? '');
const only = process.argv[3];
const files = readdirSync(here).filter((name) => name.endsWith('.test.mjs') && wanted.test(name)).sort();
const count = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const isSuite = (event) => event.details?.type === 'suite' || files.some((file) => event.name.endsWith(file));
const tests = run({ files: files.map((name) => join(here, name)), concurrency: 1, timeout: 180_000, ...(only && { testNamePatterns: only }) });
tests.on('test:pass', (event) => {
  if (isSuite(event)) return;
  if (event.skip === undefined) {
    count.passed += 1;
  } else if (!/does not match pattern/.test(String(event.skip))) {
    count.skipped += 1;
    skips.push(`${event.name}: ${event.skip}`);
  }
});
tests.on('test:fail', (event) => {
  count.failed += 1;
});
tests.compose(new spec()).pipe(process.stdout);
tests.on('end', () => {
  // After the reporter's own last lines.
  setTimeout(() => {
    for (const skip of skips) console.log(`page tests: skipped ${skip}`);
    const engine = process.env.SENTIENT_BINARY ? process.env.SENTIENT_BINARY : 'the mock engine';
    console.log(`page tests: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped, against ${engine}`);
    process.exitCode = count.failed > 0 || count.passed === 0 ? 1 : 0;
  }, 100);
});
