// The settings, drawn from the schema the engine gives: every key is there, with its description. Models, keys and
// approvals have pages of their own.

import { card, nothing } from '../../shell/controls.js';
import { element } from '../../shell/dom.js';
import { icon } from '../../shell/icons.js';
import { fetchModels } from '../../shell/models.js';
import { hashOf } from '../../shell/router.js';
import { has, settingsWords, t } from '../../text/index.js';
import { modelsPage } from '../models/page.js';
import { approvalsPage } from './approvals.js';
import { fieldLine } from './field.js';
import { keysPage } from './keys.js';
import { aboutPage } from './about.js';
import { fieldsOf, find, inWords, labelOf } from './schema.js';

const FOUND_MAX = 40;

/** Pages that are not a section of the schema. @type {Record<string, { icon: string, draw: (place: HTMLElement, settings: Settings, signal: AbortSignal) => any }>} */
const PAGES = {
  models: { icon: 'brain', draw: modelsPage },
  keys: { icon: 'key', draw: keysPage },
  approvals: { icon: 'shield-check', draw: approvalsPage },
  about: { icon: 'info', draw: aboutPage },
};

/** Sections people look for most come first; the others follow in the order of the schema. */
const FIRST = ['assistant', 'ui', 'chat'];

/** @param {import('../../shell/app.js').Visit} visit */
export async function enter({ app, stage, place, signal }) {
  const settings = new Settings(app, stage, signal);
  await settings.start();
  settings.show(place);
  return { moved: (to) => settings.show(to) };
}

export class Settings {
  /**
   * @param {import('../../shell/app.js').App} app
   * @param {HTMLElement} stage
   * @param {AbortSignal} signal
   */
  constructor(app, stage, signal) {
    this.app = app;
    this.api = app.api;
    this.stage = stage;
    this.signal = signal;
    /** What draws a value anew after a change from elsewhere. @type {Set<() => void>} */
    this.drawn = new Set();
    this.models = null;
  }

  async start() {
    const [schema, config, words] = await Promise.all([this.api.get('/api/config/schema', this.signal), this.api.get('/api/config', this.signal), settingsWords()]);
    this.schema = schema;
    this.words = words;
    this.config = config;
    this.sections = Object.keys(schema.properties).filter((name) => !(name in PAGES)).sort((one, other) => order(one) - order(other));
    this.fields = Object.entries(schema.properties).flatMap(([name, node]) => this.fieldsOf(node, [name]));
    this.#frame();
    this.app.on('config.updated', () => this.refetch(), this.signal);
    this.app.on('resync', () => this.refetch(), this.signal);
    fetchModels(this.api).then((models) => (this.models = models), () => {}); // only a help to choose
  }

  /** The values below a node of the schema, in the words of this window. @param {any} node @param {string[]} path */
  fieldsOf(node, path) {
    return inWords(fieldsOf(node, path), this.words ?? {});
  }

  /** What is said of a section or a group of values, and whether it is still English. @param {string} key @param {string} english */
  wordsOf(key, english) {
    const found = this.words?.[key];
    const foreign = !found && Object.keys(this.words ?? {}).length > 0;
    return element('span', { lang: foreign ? 'en' : null }, typeof found === 'string' ? found : english);
  }

  async refetch() {
    try {
      this.config = await this.api.get('/api/config', this.signal);
    } catch {
      return; // the next change, or the next connection, brings it
    }
    for (const draw of [...this.drawn]) draw();
  }

  /**
   * Saves a change; the answer says what was wrong with it.
   * @param {any} change
   * @param {string[]} [path]
   */
  async save(change, path = []) {
    try {
      const { config } = await this.api.call('PATCH', '/api/config', change);
      if (config?.ui) this.config = config;
      else await this.refetch();
      for (const draw of [...this.drawn]) draw();
      return { ok: true, problem: '' };
    } catch (error) {
      const about = (error.wrong ?? []).filter(({ loc }) => path.every((name, index) => loc[index] === undefined || loc[index] === name || loc[index] === 'body'));
      return { ok: false, problem: about.length ? about.map(({ msg }) => msg).join('\n') : error.message };
    }
  }

  #frame() {
    this.search = element('input', { type: 'search', id: 'settings-search', placeholder: t('settings.search'), 'aria-label': t('settings.search'), oninput: () => this.#found() });
    const link = (name, picture) => element('a', { href: hashOf('settings', name), 'data-page': name }, icon(picture), element('span', {}, sectionName(name)));
    this.nav = element(
      'nav',
      { class: 'settings-nav', 'aria-label': t('screen.settings') },
      element('div', { class: 'search' }, icon('search'), this.search),
      element('div', { class: 'settings-links' }, ...Object.entries(PAGES).filter(([name]) => name !== 'about').map(([name, { icon: picture }]) => link(name, picture)),
        element('hr'), ...(this.sections ?? []).map((name) => link(name, SECTION_ICONS[name] ?? 'sliders-horizontal')), element('hr'), link('about', 'info')),
    );
    this.page = element('div', { class: 'settings-page' });
    this.stage.replaceChildren(element('div', { class: 'settings' }, this.nav, this.page));
  }

  /** @param {import('../../shell/router.js').Place} place */
  show({ rest: [name], query }) {
    this.life?.abort();
    this.life = new AbortController();
    this.drawn.clear();
    const narrow = matchMedia('(max-width: 46rem)').matches;
    this.stage.classList.toggle('listing', !name && !query.get('find'));
    if (query.get('find')) {
      this.search.value = query.get('find');
      return this.#found();
    }
    this.search.value = '';
    const page = name ?? (narrow ? '' : 'assistant');
    for (const link of this.nav.querySelectorAll('a')) {
      if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (!page) return this.page.replaceChildren();
    const back = element('a', { class: 'back only-narrow', href: hashOf('settings') }, icon('chevron-left'), t('screen.settings'));
    const heading = element('h2', { class: 'page-title', tabindex: -1 }, sectionName(page));
    const place = element('div', {});
    this.page.replaceChildren(back, heading, place);
    this.stage.scrollTop = 0;
    this.app.frame.title(`${sectionName(page)} – ${t('screen.settings')}`);
    if (page in PAGES) PAGES[page].draw(place, this, this.life.signal);
    else if (this.schema.properties[page]) this.section(place, page);
    else place.append(nothing('search', t('settings.unknown')));
    if (name) heading.focus({ preventScroll: true });
    return undefined;
  }

  /** The values of a section: those of its own, then a card for each group in it. @param {HTMLElement} place @param {string} name */
  section(place, name, except = new Set()) {
    const { description, properties } = this.schema.properties[name];
    if (description) place.append(element('p', { class: 'lead' }, this.wordsOf(name, description)));
    const draw = (fields) => fields.filter(({ key }) => !except.has(key)).map((field) => fieldLine(field, this));
    const own = draw(Object.entries(properties).filter(([, node]) => !node.properties).flatMap(([key, node]) => this.fieldsOf(node, [name, key])));
    if (own.length) place.append(card(null, ...own));
    for (const [key, node] of Object.entries(properties).filter(([, inner]) => inner.properties)) {
      const inner = draw(this.fieldsOf(node, [name, key]));
      if (inner.length) place.append(card(this.wordsOf(`${name}.${key}`, labelOf(key)), ...inner));
    }
  }

  #found() {
    const text = this.search.value;
    if (text.trim() === '') return this.show(this.app.router.place);
    this.life?.abort();
    this.drawn.clear();
    this.stage.classList.remove('listing');
    const found = find(this.fields ?? [], text);
    /** @type {Map<string, Node[]>} */
    const groups = new Map();
    for (const field of found.slice(0, FOUND_MAX)) {
      const title = field.path.slice(0, -1).map((name, index) => (index === 0 ? sectionName(name) : labelOf(name))).join(' › ');
      groups.set(title, [...(groups.get(title) ?? []), fieldLine(field, this)]);
    }
    const said = element('p', { class: 'quiet', role: 'status' }, t('settings.found', { count: found.length }));
    this.page.replaceChildren(said, ...[...groups].map(([title, lines]) => card(title, ...lines)), found.length ? '' : nothing('search', t('settings.nothing')));
    return undefined;
  }
}

const SECTION_ICONS = {
  assistant: 'user', ui: 'palette', chat: 'message-circle', memory: 'brain', tasks: 'list-todo', voice: 'mic', browser: 'globe', nodes: 'smartphone',
  channels: 'send', integrations: 'plug', proactivity: 'sparkles', sandbox: 'layers', terminal: 'keyboard', backups: 'hard-drive', folders: 'folder',
  gateway: 'network', secrets: 'lock', skills: 'wand-sparkles', subagents: 'workflow', tools: 'wrench', user_model: 'eye', dreaming: 'moon', evolution: 'activity', openai_api: 'zap',
};

/** @param {string} name */
const order = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

/** @param {string} name */
export const sectionName = (name) => (has(`settings.section.${name}`) ? t(/** @type {any} */ (`settings.section.${name}`)) : labelOf(name));
