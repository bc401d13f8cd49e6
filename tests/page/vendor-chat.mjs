// Writes the libraries the chat uses into `web/vendor/`, as their authors built them, from the npm packages:
//
//   npm install --prefix ~/.cache/sentient-tests markdown-it@15 temml@0.13 @highlightjs/cdn-assets@11
//   node tests/page/vendor-chat.mjs
//
// A first line is added that names the library and tells the type checker to leave it alone, and a last line to Temml,
// which has no module as small. A language the highlighter should know is a word in GRAMMARS here and one in
// `web/chat/highlight.js`.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './tools.mjs';

const VENDOR = fileURLToPath(new URL('../../web/vendor/', import.meta.url));
const GRAMMARS = `bash c cpp csharp css diff dockerfile go ini java javascript json kotlin lua makefile markdown php powershell
  python ruby rust scss sql swift typescript xml yaml`.trim().split(/\s+/);

const from = (...parts) => join(CACHE, 'node_modules', ...parts);

/** @param {{ folder: string, name: string, package: string, licence: string, files: [string, string, string?][] }} library */
async function take({ folder, name, package: source, licence, files }) {
  const { version } = JSON.parse(await readFile(from(source, 'package.json'), 'utf8'));
  await mkdir(join(VENDOR, folder), { recursive: true });
  for (const [path, as, after = ''] of files) {
    const text = (await readFile(from(source, path), 'utf8')).replace(/^\/\/# sourceMappingURL=.*$/m, '').trimEnd();
    await writeFile(join(VENDOR, folder, as), `// @ts-nocheck ${name} ${version}, ${licence}: LICENSE.txt beside this file. Written by tests/page/vendor-chat.mjs.\n${text}\n${after}`);
  }
  await copyFile(from(source, 'LICENSE'), join(VENDOR, folder, 'LICENSE.txt'));
  console.log(`${name} ${version}: ${files.length} files`);
}

await take({ folder: 'markdown-it', name: 'markdown-it', package: 'markdown-it', licence: 'MIT',
  files: [['dist/browser/markdown-it.esm.min.mjs', 'markdown-it.js']] });
await take({ folder: 'temml', name: 'Temml', package: 'temml', licence: 'MIT',
  files: [['dist/temml.min.js', 'temml.js', 'export default temml;\n']] });
await take({ folder: 'highlight', name: 'highlight.js', package: '@highlightjs/cdn-assets', licence: 'BSD-3-Clause',
  files: [['es/core.min.js', 'core.js'], ...GRAMMARS.map((grammar) => [`es/languages/${grammar}.min.js`, `${grammar}.js`])] });
