// Writes `web/vendor/lucide/icons.js`: the few icons the window uses, taken from the npm package `lucide-static`. A name
// added to ICONS and a run of this script is all a new icon takes; the tests check that none is used that is not there.
//
//   npm install --prefix ~/.cache/sentient-tests lucide-static@1 && node tests/page/vendor.mjs

import { writeFile } from 'node:fs/promises';
import { load } from './tools.mjs';

const ICONS = `activity arrow-down arrow-left arrow-right arrow-up bell book-open bot brain calendar chart-column check
  chevron-down chevron-left chevron-right circle-alert circle-check circle-stop clock cloud copy cpu download ellipsis
  external-link eye eye-off file-text folder gauge ghost globe hard-drive hourglass image info key keyboard languages layers
  list-todo loader-circle lock mail menu message-circle mic monitor moon network octagon-pause palette panel-left paperclip
  pencil pin play plug plus receipt refresh-cw rotate-cw search send settings shield-check sliders-horizontal smartphone
  sparkles square square-pen sun thumbs-down thumbs-up trash triangle-alert undo-2 user volume-2 wallet wand-sparkles
  wifi-off workflow wrench x zap`.trim().split(/\s+/);

const nodes = load('lucide-static/icon-nodes.json');
const { version } = load('lucide-static/package.json');
const lacks = ICONS.filter((name) => !nodes[name]);
if (lacks.length) throw new Error(`lucide has no ${lacks.join(', ')}`);
const rows = ICONS.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(nodes[name])},\n`).join('');
const head = `// Lucide ${version} (https://lucide.dev), ISC licence: LICENSE.txt beside this file. Written by tests/page/vendor.mjs.\n\n`
  + '/** The parts of each 24 × 24 icon, as `[tag, attributes]`. @type {Record<string, [string, Record<string, string>][]>} */\n';
await writeFile(new URL('../../web/vendor/lucide/icons.js', import.meta.url), `${head}export const ICONS = {\n${rows}};\n`);
console.log(`${ICONS.length} icons of lucide ${version}`);
