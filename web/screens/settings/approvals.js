// What may run without a question: grants that end by themselves, lasting rules and where each came from, and the
// settings around them.

import { card, choice, freshId, nothing } from '../../shell/controls.js';
import { path } from '../../shell/connection.js';
import { element, spoken } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { ago, at, t } from '../../text/index.js';
import { fieldLine } from './field.js';

const RULES = ['allow', 'if_asked', 'ask', 'hand_off', 'never'];

/** @param {HTMLElement} place @param {import('./index.js').Settings} settings @param {AbortSignal} signal */
export async function approvalsPage(place, settings, signal) {
  const { api, app } = settings;
  const grants = element('div');
  const rules = element('div');
  const node = settings.schema.properties.tools?.properties?.approvals;
  place.append(element('p', { class: 'lead' }, t('approvals.lead')), grants, rules);
  if (node) place.append(card(t('approvals.around'), ...settings.fieldsOf(node, ['tools', 'approvals']).map((field) => fieldLine(field, settings))));
  const drawGrants = async () => {
    try {
      const answer = await api.get('/api/approvals/grants', signal);
      grants.replaceChildren(grantCard(answer.grants, settings));
    } catch (error) {
      if (error.status === 404) grants.replaceChildren(); // this engine gives none
      else if (!signal.aborted) app.toasts.problem(error);
    }
  };
  const tools = await api.get('/api/tools', signal).catch(() => []);
  let drawn = '';
  const drawRules = () => {
    const now = JSON.stringify([settings.config.tools?.approvals?.rules, settings.config.tools?.approvals?.rule_origins]);
    if (drawn === now) return;
    drawn = now;
    rules.replaceChildren(ruleCard(tools, settings));
  };
  settings.drawn.add(drawRules);
  app.on('approval_grants.updated', drawGrants, signal);
  drawRules();
  await drawGrants();
}

function grantCard(grants, { api, app }) {
  if (grants.length === 0) return card(t('approvals.now'), element('p', { class: 'quiet' }, t('approvals.now.none')));
  return card(t('approvals.now'), ...grants.map((grant) => {
    const name = [grant.app, grant.label || spoken(grant.tool)].filter(Boolean).join(' › ');
    const where = grant.scope === 'task' ? t('approvals.now.task', { task: grant.task_name ?? '' }) : t('approvals.now.until', { time: at(grant.expires_at) });
    const revoke = async () => {
      button.disabled = true;
      try {
        await api.call('DELETE', path`/api/approvals/grants/${grant.id}`);
      } catch (error) {
        button.disabled = false;
        if (error.status !== 404) app.toasts.problem(error);
      }
    };
    const button = element('button', { type: 'button', 'aria-label': t('approvals.revoke.of', { name }), onclick: revoke }, t('approvals.revoke'));
    return element(
      'div',
      { class: 'line', 'data-grant': grant.id },
      element('div', { class: 'line-words' }, element('div', { class: 'line-label' }, name), element('p', { class: 'line-text' }, `${where} · ${t('approvals.given', { ago: ago(grant.created_at), via: spoken(grant.via) })}`)),
      element('div', { class: 'line-control' }, button),
    );
  }));
}

/** Names of apps and tools as people know them. */
function namesOf(tools) {
  const names = new Map();
  for (const app of tools) {
    names.set(app.id, app.display_name);
    for (const tool of app.tools) names.set(tool.name, `${app.display_name} › ${spoken(tool.name)}`);
  }
  return names;
}

function ruleCard(tools, settings) {
  const { rules = {}, rule_origins: origins = {} } = settings.config.tools?.approvals ?? {};
  const names = namesOf(tools);
  const set = async (key, rule) => {
    const { ok, problem } = await settings.save({ tools: { approvals: { rules: { [key]: rule } } } });
    if (!ok) settings.app.toasts.problem(problem);
  };
  const options = RULES.map((value) => ({ value, label: t(/** @type {any} */ (`approvals.rule.${value}`)) }));
  const rows = Object.entries(rules).map(([key, rule]) => {
    const id = freshId('rule');
    const name = names.get(key) ?? spoken(key);
    return element(
      'div',
      { class: 'line', 'data-rule': key },
      element('div', { class: 'line-words' }, element('label', { class: 'line-label', for: id }, name), element('p', { class: 'line-text' }, originOf(origins[key]))),
      element('div', { class: 'line-control' }, choice(rule, options, (one) => set(key, one), { id }),
        element('button', { type: 'button', class: 'icon-button', 'aria-label': t('approvals.remove', { name }), title: t('approvals.remove', { name }), onclick: () => set(key, null) }, icon('trash'))),
    );
  });
  const free = tools.flatMap((app) => [{ value: app.id, label: t('approvals.all', { app: app.display_name }), group: app.display_name }, ...app.tools.map((tool) => ({ value: tool.name, label: spoken(tool.name), group: app.display_name }))])
    .filter(({ value }) => !(value in rules));
  let rule = 'ask';
  const what = choice('', [{ value: '', label: t('approvals.choose') }, ...free], () => {}, { 'aria-label': t('approvals.what') });
  const level = choice(rule, options, (one) => (rule = one), { 'aria-label': t('approvals.level') });
  const add = element('form', { class: 'line', onsubmit: (event) => (event.preventDefault(), what.value && set(what.value, rule)) },
    element('div', { class: 'line-words line-label' }, t('approvals.add')), element('div', { class: 'line-control' }, what, level, element('button', { type: 'submit' }, icon('plus'), t('approvals.add.do'))));
  return card(t('approvals.lasting'), rows.length ? null : nothing('shield-check', t('approvals.lasting.none')), ...rows, add);
}

function originOf(origin) {
  if (!origin?.at) return t('approvals.byhand');
  const date = at(origin.at);
  if (origin.source !== 'chat') return t('approvals.answer', { date });
  return origin.said ? `${t('approvals.message', { date })}: “${origin.said}”` : t('approvals.message', { date });
}
