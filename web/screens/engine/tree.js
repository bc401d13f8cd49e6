// The actors of the engine as a tree, from their flat list. No DOM: the tests read it too.

/**
 * @typedef {object} Branch a place in the tree; `row` is the actor that lives there, if one does
 * @property {string} name
 * @property {string} path
 * @property {any} row
 * @property {Branch[]} children
 */

/** @param {any[]} rows `GET /api/engine/actors` @returns {Branch[]} */
export function treeOf(rows) {
  /** @type {Branch} */
  const root = { name: '', path: '', row: null, children: [] };
  for (const row of rows.toSorted((one, other) => one.path.localeCompare(other.path))) {
    let at = root;
    for (const name of row.path.split('/').filter(Boolean)) {
      const path = at.path ? `${at.path}/${name}` : name;
      let next = at.children.find((child) => child.path === path);
      if (!next) at.children.push((next = { name, path, row: null, children: [] }));
      at = next;
    }
    at.row = row;
  }
  // `root` has one branch that says nothing.
  return root.children.length === 1 && root.children[0].row === null ? root.children[0].children : root.children;
}

/** @param {any} row */
export const isWell = (row) => row.state === 'running' || row.state === 'starting';

/** Everything the page says at its top. @param {any[]} rows */
export function summaryOf(rows) {
  return {
    count: rows.length,
    waiting: rows.reduce((sum, row) => sum + row.mailbox, 0),
    restarts: rows.reduce((sum, row) => sum + row.restarts, 0),
    troubled: rows.filter((row) => !isWell(row)),
    requests: rows.reduce((sum, row) => sum + row.requests.reduce((all, one) => all + one.count, 0), 0),
  };
}

/** Mean milliseconds of a request. @param {{ count: number, total_us: number }} request */
export const meanMs = ({ count, total_us: total }) => (count ? total / count / 1000 : 0);
