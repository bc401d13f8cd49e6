// Keeps the window's own files, so that it opens while the engine is down and says so, instead of an error of the browser.
// It keeps nothing else: answers of the engine, files of the person and addresses with a token pass by untouched.
//
// The engine is asked first, always: a new program must never run with a file of the old one. Files are kept in one piece,
// all of one version or none.

const LIST = '/window.json';
const START = 'shell-';
const DONE = '/complete';
/** The types of a page do not know a worker. @type {any} */
const worker = self;

worker.addEventListener('install', (event) => {
  event.waitUntil(keep().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim());
});

// The page says that it has reached the engine: a good time to look whether there is a new version.
worker.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(keep().catch(() => {})); // the next time it is asked it tries again
});

/** Fetches every file of the window, when this version is not kept yet, and drops the others. */
async function keep() {
  const { version, files } = await (await fetch(LIST, { cache: 'no-store' })).json();
  const name = START + version;
  const cache = await caches.open(name);
  if (!(await cache.match(DONE))) {
    await cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })));
    await cache.put(DONE, new Response(JSON.stringify(files)));
  }
  for (const other of await caches.keys()) if (other !== name) await caches.delete(other);
}

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== worker.location.origin || !isOurs(pathname, mode)) return;
  event.respondWith(fetch(event.request).catch((error) => kept(pathname === '/' ? '/index.html' : pathname, error)));
});

/** Whether an address can be one of the window's files; all that the engine answers for is below other addresses. */
function isOurs(pathname, mode) {
  if (pathname === '/' || pathname === '/index.html') return mode === 'navigate';
  return /^\/(shell|chat|screens|text|vendor|icons)\//.test(pathname) || pathname === '/manifest.webmanifest';
}

async function kept(pathname, error) {
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    if (!name.startsWith(START) || !(await cache.match(DONE))) continue;
    const found = await cache.match(pathname);
    if (found) return found;
  }
  throw error;
}
