// The window as an app of its own: the worker that keeps its files for when the engine is down, and the token, which an
// installed window cannot take from an address.

import { keepToken } from './connection.js';

/** Whether the window runs without a browser around it. */
export const isInstalled = () => matchMedia('(display-mode: standalone)').matches;

/** @param {import('./app.js').App} app */
export function installable(app) {
  const keep = () => keepToken(app.token, true);
  if (isInstalled()) keep();
  addEventListener('appinstalled', keep);
  if (!('serviceWorker' in navigator)) return;
  const register = async () => {
    try {
      await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' });
    } catch {
      return; // a browser that does not want it: the window works without
    }
    // Every time the engine is reached there may be a new version of it.
    app.store.watch('link', (link) => link === 'open' && navigator.serviceWorker.controller?.postMessage('keep'));
  };
  if (document.readyState === 'complete') register();
  else addEventListener('load', register);
}
