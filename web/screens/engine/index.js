// The engine at work: its actors as a tree, with what waits for them, what broke and began anew, and the questions that
// wait for the person. It is looked at again every few seconds while it is seen, and only what changed is drawn anew.

import { card, nothing, pill } from '../../shell/controls.js';
import { element, spoken } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { hashOf } from '../../shell/router.js';
import { ago, number, t } from '../../text/index.js';
import { isWell, meanMs, summaryOf, treeOf } from './tree.js';

const AGAIN_AFTER_MS = 3_000;

/** @param {import('../../shell/app.js').Visit} visit */
export async function enter({ app, stage, signal }) {
  const page = new EnginePage(stage);
  const look = async () => page.show(await app.api.get('/api/engine/actors', signal), questionsOf(app));
  let looking = false;
  const again = async () => {
    if (looking || document.visibilityState !== 'visible' || app.store.get('link') !== 'open') return;
    looking = true;
    await look().catch(() => {}); // the title bar says when there is no connection; the next look brings it
    looking = false;
  };
  await look();
  const timer = setInterval(again, AGAIN_AFTER_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  document.addEventListener('visibilitychange', again, { signal });
  app.store.watch('link', again, signal);
}

/** Questions the window knows of: the chat screen keeps them. @param {import('../../shell/app.js').App} app */
const questionsOf = (app) => [...app.store.get('questions').values()];

class EnginePage {
  /** @param {HTMLElement} stage */
  constructor(stage) {
    this.tiles = element('div', { class: 'tiles' });
    this.trouble = element('div');
    this.questions = element('div');
    this.tree = element('div', { class: 'actors' });
    /** The element of each actor and what was drawn in it. @type {Map<string, { node: HTMLElement, drawn: string }>} */
    this.rows = new Map();
    stage.append(element('p', { class: 'lead' }, t('engine.lead')), this.tiles, this.trouble, this.questions, card(t('engine.tree'), this.tree));
  }

  show(rows, questions) {
    const sum = summaryOf(rows);
    const tile = (key, value, kind = '') => element('div', { class: `tile ${kind}` }, element('p', { class: 'sum' }, number(value)), element('p', { class: 'quiet' }, t(/** @type {any} */ (`engine.${key}`))));
    replaceIfNew(this.tiles, JSON.stringify([sum.count, sum.waiting, sum.restarts, sum.troubled.length, sum.requests]), () => [
      tile('actors', sum.count), tile('waiting', sum.waiting), tile('restarts', sum.restarts), tile('troubled', sum.troubled.length, sum.troubled.length ? 'warned' : '')]);
    replaceIfNew(this.trouble, JSON.stringify(sum.troubled), () => (sum.troubled.length ? [card(t('engine.trouble'), ...sum.troubled.map(troubleLine))] : []));
    replaceIfNew(this.questions, JSON.stringify(questions), () => (questions.length ? [card(t('engine.questions'), ...questions.map(questionLine))] : []));
    this.#grow(treeOf(rows));
  }

  #grow(branches) {
    if (branches.length === 0) return this.tree.replaceChildren(nothing('activity', t('engine.none')));
    const seen = new Set();
    const lines = [];
    const walk = (branch, depth) => {
      seen.add(branch.path);
      lines.push(this.#line(branch, depth));
      for (const child of branch.children) walk(child, depth + 1);
    };
    for (const branch of branches) walk(branch, 0);
    for (const path of [...this.rows.keys()]) if (!seen.has(path)) this.rows.delete(path);
    const now = [...this.tree.children];
    if (lines.length !== now.length || lines.some((line, index) => line !== now[index])) this.tree.replaceChildren(...lines);
    return undefined;
  }

  #line(branch, depth) {
    const text = JSON.stringify([branch.row, depth]);
    const known = this.rows.get(branch.path);
    if (known?.drawn === text) return known.node;
    const open = known?.node.querySelector('details')?.open ?? false;
    const node = known?.node ?? element('div', {});
    node.className = `actor depth-${Math.min(depth, 4)}`;
    node.dataset.path = branch.path;
    node.replaceChildren(branch.row ? actor(branch, open) : element('p', { class: 'group' }, spoken(branch.name)));
    this.rows.set(branch.path, { node, drawn: text });
    return node;
  }
}

/** Draws `place` anew only when `text` says that something is different. */
function replaceIfNew(place, text, draw) {
  if (place.dataset.drawn === text) return;
  place.dataset.drawn = text;
  place.replaceChildren(...draw());
}

const KINDS = { running: 'good', starting: 'quiet', restarting: 'warn', degraded: 'warn', stopped: 'quiet' };

function actor({ name, row }, open) {
  const state = isWell(row) && row.state === 'running' ? element('span', { class: 'dot', title: t('engine.state.running') }, element('span', { class: 'unseen' }, t('engine.state.running')))
    : pill(t(/** @type {any} */ (`engine.state.${row.state}`)), KINDS[row.state]);
  const facts = [
    row.mailbox > 0 ? t('engine.waits', { count: row.mailbox }) : '',
    row.restarts > 0 ? t('engine.restarted', { count: row.restarts }) : '',
  ].filter(Boolean).join(' · ');
  const label = /^[0-9a-f-]{16,}$/i.test(name) ? `${spoken(row.role)} ${name.slice(0, 8)}` : spoken(name);
  const summary = element('summary', {}, state, element('span', { class: 'actor-name' }, label), element('span', { class: 'quiet' }, facts));
  return element('details', { open }, summary, about(row));
}

function about(row) {
  const list = element('dl', {},
    element('dt', {}, t('engine.path')), element('dd', {}, element('code', {}, row.path)),
    element('dt', {}, t('engine.since')), element('dd', {}, ago(row.since)),
    element('dt', {}, t('engine.mailbox')), element('dd', {}, t('engine.mailbox.of', { count: row.mailbox, max: row.mailbox_max })),
    ...(row.doing ? [element('dt', {}, t('engine.doing')), element('dd', {}, row.doing)] : []),
    ...(row.last_error ? [element('dt', {}, t('engine.lasterror')), element('dd', {}, row.last_error)] : []));
  if (row.requests.length === 0) return element('div', { class: 'about' }, list);
  const ms = (value) => `${new Intl.NumberFormat(undefined, { maximumFractionDigits: value < 10 ? 2 : 0 }).format(value)} ms`;
  const head = element('tr', {}, ...['engine.request', 'engine.count', 'engine.errors', 'engine.mean', 'engine.max'].map((key) => element('th', { scope: 'col' }, t(/** @type {any} */ (key)))));
  const rows = row.requests.map((request) => element('tr', {}, element('th', { scope: 'row' }, request.name), element('td', {}, number(request.count)), element('td', {}, number(request.errors)), element('td', {}, ms(meanMs(request))), element('td', {}, ms(request.max_us / 1000))));
  return element('div', { class: 'about' }, list, element('div', { class: 'table-box', tabindex: 0, role: 'region', 'aria-label': t('engine.request') }, element('table', { class: 'numbers' }, element('thead', {}, head), element('tbody', {}, ...rows))));
}

function troubleLine(row) {
  return element('div', { class: 'line' }, element('div', { class: 'line-words' }, element('div', { class: 'line-label' }, spoken(row.role)), element('p', { class: 'line-text' }, row.last_error ?? '')),
    element('div', { class: 'line-control' }, pill(t(/** @type {any} */ (`engine.state.${row.state}`)), KINDS[row.state])));
}

function questionLine(question) {
  return element('div', { class: 'line' }, element('div', { class: 'line-words' }, element('div', { class: 'line-label' }, spoken(question.name)), element('p', { class: 'line-text' }, question.target ?? question.reason ?? '')),
    element('div', { class: 'line-control' }, question.session_id ? element('a', { class: 'button', href: hashOf('chat', question.session_id) }, t('engine.answer'), icon('arrow-right')) : null));
}
