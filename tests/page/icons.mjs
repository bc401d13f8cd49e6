// Paints the icons of the installed window into `web/icons/`, from the one drawing below:
//
//   node tests/page/icons.mjs

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startBrowser } from './browser.mjs';
import { shrink } from './png.mjs';

const FOLDER = fileURLToPath(new URL('../../web/icons/', import.meta.url));

/** An open ring around a point: something that listens. `inset` leaves the edge that a system may cut off. */
const drawing = ({ round, inset }) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">
  <defs>
    <radialGradient id="g" cx="50%" cy="22%" r="95%"><stop offset="0" stop-color="#1f7a70"/><stop offset="1" stop-color="#0c2b29"/></radialGradient>
  </defs>
  <rect width="512" height="512" rx="${round}" fill="url(#g)"/>
  <g transform="translate(256 256) scale(${1 - inset})" fill="none" stroke="#c9f4ee" stroke-linecap="round">
    <path d="M 96 -111 A 147 147 0 1 0 147 0" stroke-width="40"/>
    <path d="M 55 -66 A 86 86 0 0 0 -86 0" stroke-width="26" opacity=".45"/>
    <circle r="42" fill="#c9f4ee" stroke="none"/>
  </g>
</svg>
`;

const PICTURES = [
  { name: 'icon-192.png', size: 192, round: 112, inset: 0.06 },
  { name: 'icon-512.png', size: 512, round: 112, inset: 0.06 },
  { name: 'maskable-512.png', size: 512, round: 0, inset: 0.25 },
  { name: 'touch-180.png', size: 180, round: 0, inset: 0.12 },
];

const browser = await startBrowser();
try {
  const page = await browser.newPage();
  for (const { name, size, ...shape } of PICTURES) {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(`<style>html,body{margin:0;background:transparent}svg{display:block;width:${size}px;height:${size}px}</style>${drawing(shape)}`);
    await page.screenshot({ path: FOLDER + name, omitBackground: true });
    console.log(`${name}: ${await shrink(page, FOLDER + name)} bytes`);
  }
  await writeFile(`${FOLDER}icon.svg`, drawing({ round: 112, inset: 0.06 }));
} finally {
  await browser.close();
}
