// The screens of the window. A new one is a folder beside this file and a row here: its words are `screen.<name>` in the
// language files, its code is loaded when it is first opened.
//
// A screen's module has `enter(visit)` (see `shell/app.js`). What it registers with `visit.signal` ends when it is left.

/**
 * @typedef {object} ScreenRow
 * @property {string} name the first part of its address, and of its texts
 * @property {string} icon
 * @property {'top' | 'foot' | 'none'} where at which end of the rail it is listed, if at all
 * @property {boolean} [style] it has a style sheet of its own, `screens/<name>/<name>.css`
 * @property {boolean} [stays] it is only hidden when it is left, and lays itself out over the whole stage
 * @property {() => Promise<{ enter: (visit: import('../shell/app.js').Visit) => any }>} load
 */

/** @type {ScreenRow[]} */
export const SCREENS = [
  { name: 'chat', icon: 'message-circle', where: 'top', stays: true, load: () => import('../chat/screen.js') },
  { name: 'notifications', icon: 'bell', where: 'top', style: true, load: () => import('./notifications/index.js') },
  { name: 'memory', icon: 'brain', where: 'top', style: true, load: () => import('./memory/index.js') },
  { name: 'usage', icon: 'chart-column', where: 'foot', style: true, load: () => import('./usage/index.js') },
  { name: 'engine', icon: 'activity', where: 'foot', style: true, load: () => import('./engine/index.js') },
  { name: 'settings', icon: 'settings', where: 'foot', style: true, load: () => import('./settings/index.js') },
  { name: 'setup', icon: 'sparkles', where: 'none', style: true, load: () => import('./setup/index.js') },
];
