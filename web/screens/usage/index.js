// What the models used and cost: today, this week, this month, the budget, and the last thirty days.

import { card, during, nothing, outcome, pill, toggle } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { modelName } from '../../shell/models.js';
import { hashOf } from '../../shell/router.js';
import { dollars, language, number, t } from '../../text/index.js';

const DAYS = 30;
const AGAIN_AFTER_MS = 30_000;

/** @param {import('../../shell/app.js').Visit} visit */
export async function enter({ app, stage, signal }) {
  const page = element('div', { class: 'usage' });
  stage.append(page);
  const draw = async () => {
    const [cost, usage] = await Promise.all([app.api.get('/api/usage/cost', signal), app.api.get(`/api/usage?days=${DAYS}`, signal)]);
    if (page.contains(document.activeElement) && page.childElementCount) return; // not under somebody's hands
    page.replaceChildren(...[periods(cost), budgetCard(cost, app, again), days(usage.by_day), models(cost)].filter((part) => part !== null));
  };
  const again = () => draw().catch((error) => signal.aborted || app.toasts.problem(error));
  app.on('budget.updated', again, signal);
  app.on('resync', again, signal);
  const timer = setInterval(() => document.visibilityState === 'visible' && app.store.get('link') === 'open' && draw().catch(() => {}), AGAIN_AFTER_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  await draw();
}

function periods({ periods: all }) {
  return element('div', { class: 'tiles' }, ...all.map((period) => element(
    'section',
    { class: 'tile', 'data-period': period.key },
    element('h2', {}, t(/** @type {any} */ (`usage.${period.key}`))),
    element('p', { class: 'sum' }, period.cost_usd === null ? t('usage.free') : dollars(period.cost_usd)),
    element('p', { class: 'quiet' }, t('usage.calls', { count: period.calls }), ' · ', t('usage.tokens', { tokens: compact(period.tokens) })),
    period.unpriced_calls ? element('p', { class: 'quiet' }, t('usage.unpriced', { count: period.unpriced_calls })) : null,
  )));
}

const compact = (count) => new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(count);

function budgetCard({ budget, local_only: localOnly }, app, again) {
  const said = outcome();
  const parts = [];
  const block = element('div', { class: 'budget' });
  if (budget.state === 'off') {
    parts.push(element('p', {}, t('usage.nobudget'), ' ', element('a', { href: hashOf('settings', 'models') }, t('usage.setbudget'))));
  } else {
    const kind = { ok: 'good', warning: 'warn', reached: 'bad' }[budget.state] ?? 'quiet';
    const bar = element('meter', { min: 0, max: 100, low: 80, high: 99, optimum: 0, value: Math.min(budget.percent, 100), 'aria-label': t('usage.budget') });
    parts.push(element('p', { class: 'row' }, element('b', {}, t('usage.spent', { spent: dollars(budget.spent_usd), limit: dollars(budget.monthly_usd) })), pill(`${number(budget.percent)} %`, kind)), element('p', {}, bar));
    if (budget.message) parts.push(element('p', { class: 'notice-text' }, budget.message));
    if (budget.state === 'reached' && budget.at_limit === 'ask' && !budget.kept_going) {
      const go = () => during(button, said.say, t('settings.saving'), async () => {
        await app.api.call('POST', '/api/usage/budget/keep-going');
        button.blur();
        again();
      });
      const button = element('button', { type: 'button', class: 'primary', onclick: go }, t('usage.keepgoing'));
      parts.push(element('p', { class: 'row' }, button, said.node));
    }
  }
  const only = toggle(localOnly, (on) => app.api.call('PATCH', '/api/config', { models: { local_only: on } }).catch((error) => {
    only.checked = !on;
    app.toasts.problem(error);
  }), { id: 'local-only' });
  const line = element('div', { class: 'line' }, element('div', { class: 'line-words' }, element('label', { class: 'line-label', for: 'local-only' }, t('usage.localonly')), element('p', { class: 'line-text' }, t('usage.localonly.text'))), element('div', { class: 'line-control' }, only));
  block.append(...parts);
  return card(t('usage.budget'), block, line);
}

/** One bar per day, tallest at the most tokens; the numbers are in the table below it for those who do not see it. */
function days(rows) {
  if (rows.length === 0) return card(t('usage.days', { days: DAYS }), nothing('chart-column', t('usage.nothing')));
  const most = Math.max(...rows.map(total), 1);
  const name = (day) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }).format(new Date(`${day}T12:00:00`));
  const bars = everyDay(rows).map((row) => {
    const bar = element('span', { class: 'bar-fill' });
    bar.style.setProperty('height', `${total(row) ? Math.max((total(row) / most) * 100, 2) : 1}%`); // by script: the policy forbids style attributes
    return element('div', { class: 'bar-column', title: `${name(row.day)}: ${t('usage.tokens', { tokens: compact(total(row)) })}` }, bar);
  });
  const table = element('table', { class: 'unseen' }, element('caption', {}, t('usage.days', { days: DAYS })),
    ...rows.map((row) => element('tr', {}, element('th', { scope: 'row' }, name(row.day)), element('td', {}, number(total(row))))));
  const ends = element('p', { class: 'row quiet chart-ends' }, element('span', {}, name(everyDay(rows)[0].day)), element('span', { class: 'space' }), element('span', {}, t('usage.most', { tokens: compact(most) })));
  return card(t('usage.days', { days: DAYS }), element('div', { class: 'chart-place' }, element('div', { class: 'chart', 'aria-hidden': 'true' }, ...bars), ends, table));
}

/** One row for each of the last days, also for those without a call. */
function everyDay(rows) {
  const known = new Map(rows.map((row) => [row.day, row]));
  return Array.from({ length: DAYS }, (_, back) => {
    const date = new Date();
    date.setDate(date.getDate() - (DAYS - 1 - back));
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
    return known.get(day) ?? { day, prompt_tokens: 0, completion_tokens: 0 };
  });
}

const total = (row) => row.prompt_tokens + row.completion_tokens;

function models({ periods: all }) {
  const month = all.find(({ key }) => key === 'month');
  if (!month || month.by_model.length === 0) return null;
  const head = element('tr', {}, ...['usage.model', 'usage.callcount', 'usage.in', 'usage.out', 'usage.cost'].map((key) => element('th', { scope: 'col' }, t(/** @type {any} */ (key)))));
  const rows = month.by_model.map((row) => element(
    'tr',
    {},
    element('th', { scope: 'row' }, modelName(row.model), ' ', pill(t(/** @type {any} */ (`usage.billing.${row.billing}`)))),
    element('td', {}, number(row.calls)),
    element('td', {}, compact(row.prompt_tokens)),
    element('td', {}, compact(row.completion_tokens)),
    element('td', {}, row.cost_usd === null ? '–' : dollars(row.cost_usd)),
  ));
  return card(t('usage.bymodel'), element('div', { class: 'table-box', tabindex: 0, role: 'region', 'aria-label': t('usage.bymodel') }, element('table', { class: 'numbers' }, element('thead', {}, head), element('tbody', {}, ...rows))));
}
