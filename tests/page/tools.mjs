// Where the outside tools of the page tests live: a cache outside the checkout, filled by `.ci/run`.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CACHE = process.env.SENTIENT_TEST_CACHE || join(homedir(), '.cache', 'sentient-tests');
export const CHROMIUM = process.env.SENTIENT_CHROMIUM || '/usr/bin/chromium';

const fromCache = createRequire(join(CACHE, 'package.json'));

/** What is missing, in words; empty when all is there. */
export function missing() {
  const found = [];
  if (!existsSync(CHROMIUM)) found.push(`a browser at ${CHROMIUM}`);
  for (const name of ['playwright-core', 'axe-core', 'ws', 'typescript']) {
    try {
      fromCache.resolve(name);
    } catch {
      found.push(`npm ${name} in ${CACHE}`);
    }
  }
  return found;
}

export const load = (name) => fromCache(name);
export const resolve = (name) => fromCache.resolve(name);
export const axePath = () => fromCache.resolve('axe-core/axe.min.js');
