// Makes pictures of the window small: at most 256 colours, the commonest ones, packed as tightly as PNG allows. Pictures
// of a page have few colours and many soft edges of letters; nobody sees the difference.

import { readFile, writeFile } from 'node:fs/promises';
import * as zlib from 'node:zlib';

const COLOURS_MAX = 256;

/** In the page: reads a picture and answers its size, its palette (RGBA) and one index per pixel, in base 64. */
async function reduce([data, most]) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255, pixel >>> 24];
  // The commonest colours stay as they are: they are the grounds, and those may differ by a shade. Of the others, those
  // that nobody can tell apart share a place, so that soft edges and gradients do not push each other out.
  const common = [...counts].sort((one, other) => other[1] - one[1]).slice(0, most / 4).map(([pixel]) => pixel);
  const places = new Map();
  for (const [pixel, count] of counts) {
    if (common.includes(pixel)) continue;
    const [r, g, b, a] = parts(pixel);
    const key = counts.size <= most ? pixel : ((r >> 3) << 15) | ((g >> 3) << 10) | ((b >> 3) << 5) | (a >> 3);
    const place = places.get(key);
    if (!place) places.set(key, { pixel, count, best: count });
    else {
      place.count += count;
      if (count > place.best) Object.assign(place, { pixel, best: count });
    }
  }
  const others = [...places.values()].sort((one, other) => other.count - one.count).slice(0, most - common.length).map(({ pixel }) => pixel);
  const palette = [...common, ...others].map(parts);
  const nearest = new Map();
  for (const pixel of counts.keys()) {
    const [r, g, b, a] = parts(pixel);
    let index = 0;
    let least = Infinity;
    palette.forEach(([x, y, z, w], at) => {
      const far = 3 * (r - x) ** 2 + 4 * (g - y) ** 2 + 2 * (b - z) ** 2 + 4 * (a - w) ** 2;
      if (far < least) [least, index] = [far, at];
    });
    nearest.set(pixel, index);
  }
  let text = '';
  const indexes = Uint8Array.from(pixels, (pixel) => nearest.get(pixel));
  for (let at = 0; at < indexes.length; at += 30_000) text += String.fromCharCode(...indexes.subarray(at, at + 30_000));
  return { width, height, palette, indexes: btoa(text) };
}

const chunk = (type, data) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const end = Buffer.alloc(4);
  end.writeUInt32BE(sum(Buffer.concat([head.subarray(4), data])));
  return Buffer.concat([head, data, end]);
};

/** CRC-32 of PNG; older versions of node have none of their own. */
const sum = zlib.crc32 ?? ((data) => {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
});

/** Rewrites the PNG at `path`; `page` is any page of a browser. Answers the new size in bytes. */
export async function shrink(page, path) {
  const { width, height, palette, indexes } = await page.evaluate(reduce, [(await readFile(path)).toString('base64'), COLOURS_MAX]);
  const flat = Buffer.from(indexes, 'base64');
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) flat.copy(rows, row * (width + 1) + 1, row * width, (row + 1) * width);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const bytes = Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(([r, g, b]) => [r, g, b]))),
    chunk('tRNS', Buffer.from(palette.map(([, , , a]) => a))),
    chunk('IDAT', zlib.deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  await writeFile(path, bytes);
  return bytes.length;
}
