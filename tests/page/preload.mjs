// Writes the list of modules the first page needs into `web/index.html`, so that the browser asks for all of them at once
// instead of one after the other. The tests say when it is out of date.
//
//   node tests/page/preload.mjs

import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const FIRST = ['shell/main.js', 'chat/screen.js'];

/** The files that are imported before anything runs. */
export async function graph() {
  const seen = new Set();
  const walk = async (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const text = await readFile(join(WEB, name), 'utf8');
    for (const [, from] of text.matchAll(/^(?:import|export)\s[^'"]*?from '([^']+)'/gm)) await walk(resolve('/', dirname(name), from).slice(1));
  };
  for (const name of FIRST) await walk(name);
  return [...seen].filter((name) => name !== FIRST[0]).sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = join(WEB, 'index.html');
  const rows = (await graph()).map((name) => `    <link rel="modulepreload" href="/${name}">\n`).join('');
  const text = (await readFile(page, 'utf8')).replace(/ *<link rel="modulepreload"[^\n]*\n/g, '');
  await writeFile(page, text.replace(/ *<script type="module"[^\n]*\n/, (script) => script + rows));
}
