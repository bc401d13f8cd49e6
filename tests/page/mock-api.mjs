// The routes of the mock engine beside the chats: settings, models, keys, approvals, usage, actors, notifications and Stop
// everything, in the shapes of the contract. It remembers what a page changes and tells every window, and judges nothing
// but what a test needs to see refused.

const NAME_CHARS_MAX = 60;
const now = () => new Date().toISOString().replace('Z', '+00:00');

/** A few settings of every kind of value there is. */
export const SCHEMA = {
  type: 'object',
  properties: {
    assistant: {
      type: 'object', description: 'Who the assistant is and whom it works for.',
      properties: {
        name: { type: 'string', description: "The assistant's name.", default: 'Sentient', minLength: 1, maxLength: NAME_CHARS_MAX },
        user_name: { type: 'string', description: 'What the assistant calls you.', default: '' },
        language: { type: 'string', format: 'language', description: 'Your language as a code such as `en` or `hi`.', default: 'en' },
        onboarding_complete: { type: 'boolean', description: 'Whether the first-time setup is done.', default: false },
      },
    },
    chat: {
      type: 'object', description: 'How chats work.',
      properties: {
        show_thinking: { type: 'boolean', description: 'Show what a model thinks before it answers.', default: true },
        history_window: { type: 'integer', format: 'uint32', minimum: 2, maximum: 500, description: 'Messages of a chat that a model reads.', default: 30 },
        tool_result_context_share: { type: 'number', minimum: 0.05, maximum: 0.9, description: 'Share of the context one result may take.', default: 0.25 },
      },
    },
    models: {
      type: 'object', description: 'Which models do what.',
      properties: {
        roles: {
          type: 'object', description: 'The model of each role.',
          properties: Object.fromEntries(['primary', 'fast', 'planner', 'executor', 'embedding', 'vision', 'voice']
            .map((role) => [role, { type: ['string', 'null'], format: 'model', description: `The model for ${role}.`, default: null }])),
        },
        local_only: { type: 'boolean', description: 'Let nothing go to a model elsewhere.', default: false },
        monthly_budget_usd: { type: 'number', minimum: 0, maximum: 100000, description: 'What models may cost in a month, in dollars. 0: no limit.', default: 0 },
        budget_at_limit: { type: 'string', enum: ['ask', 'stop'], description: 'What happens at the limit.', default: 'ask' },
        reasoning: { type: 'object', additionalProperties: { type: 'string', enum: ['none', 'low', 'medium', 'high'] }, propertyNames: { enum: ['primary', 'fast'] }, description: 'How much a model thinks, by role.', default: { primary: 'medium' } },
        fallbacks: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } }, propertyNames: { enum: ['primary', 'fast'] }, description: 'Models to try when one does not answer, by role.', default: {} },
      },
    },
    voice: {
      type: 'object', description: 'Hearing, speaking, dictation and the wake word.',
      properties: { wake_word: { type: 'string', description: 'The words that wake Sentient.', default: 'hey sentient' } },
    },
    terminal: {
      type: 'object', description: 'Commands on this computer.',
      properties: { allowed_commands: { type: 'array', items: { type: 'string' }, description: 'Commands that need no question.', default: ['ls', 'pwd'] } },
    },
    tools: {
      type: 'object', description: 'What tools may do.',
      properties: {
        approvals: {
          type: 'object', description: 'When it asks.',
          properties: {
            mode: { type: 'string', enum: ['ask', 'always', 'off'], description: 'When it asks before a call runs.', default: 'ask' },
            grant_minutes: { type: 'integer', minimum: 1, maximum: 1440, description: 'How long "Allow for 1 hour" lasts.', default: 60 },
            rules: { type: 'object', additionalProperties: { type: 'string', enum: ['allow', 'if_asked', 'ask', 'hand_off', 'never'] }, description: 'Lasting rules.', default: {} },
            rule_origins: { type: 'object', additionalProperties: { type: 'object' }, description: 'Where rules came from.', default: {} },
          },
        },
      },
    },
    ui: {
      type: 'object', description: 'How the window looks and starts.',
      properties: {
        theme: { type: 'string', enum: ['system', 'dark', 'light'], description: 'Colours of the window.', default: 'dark' },
        accent: { type: 'string', enum: ['sentient', 'violet', 'blue', 'emerald', 'rose'], description: 'Highlight colour of the window.', default: 'sentient' },
      },
    },
  },
};

const defaults = (node) => (node.properties ? Object.fromEntries(Object.entries(node.properties).map(([key, value]) => [key, defaults(value)])) : structuredClone(node.default));

/** `null` takes an entry out, as in the free-form maps. */
function merge(into, change) {
  for (const [key, value] of Object.entries(change)) {
    if (value === null && !['planner', 'executor', 'vision', 'voice'].includes(key)) delete into[key];
    else if (value && typeof value === 'object' && !Array.isArray(value) && into[key]) merge(into[key], value);
    else into[key] = value;
  }
}

/** What is wrong with a change, as the engine says it. */
function problems(node, value, loc = []) {
  if (value === null) return [];
  if (node?.properties) return Object.entries(value).flatMap(([key, one]) => problems(node.properties[key], one, [...loc, key]));
  const say = (msg) => [{ loc, msg, type: 'value_error' }];
  if (!node) return say('There is no such setting.');
  if (node.minimum !== undefined && value < node.minimum) return say(`It must be ${node.minimum} or more.`);
  if (node.maximum !== undefined && value > node.maximum) return say(`It must be ${node.maximum} or less.`);
  if (node.minLength && value.length < node.minLength) return say('It must not be empty.');
  return [];
}

const PROVIDERS = [
  { id: 'ollama_chat', label: 'Ollama (local)', kind: 'local', key_required: false, key_set: true, api_base: 'http://localhost:11434', docs_url: 'https://ollama.com/download', suggested: ['ollama_chat/qwen3:8b'], sign_in: false },
  { id: 'anthropic', label: 'Anthropic', kind: 'cloud', key_required: true, key_set: false, api_base: null, docs_url: 'https://console.anthropic.com/', suggested: ['anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4-5'], sign_in: false },
  { id: 'openai', label: 'OpenAI', kind: 'cloud', key_required: true, key_set: false, api_base: null, docs_url: 'https://platform.openai.com/api-keys', suggested: ['openai/gpt-5', 'openai/gpt-5-mini', 'openai/text-embedding-3-small'], sign_in: false },
];

const HARDWARE = {
  os: 'linux', ram_gb: 31.2, unified_memory: false, usable_vram_gb: 8, ollama_vram_gb: null,
  gpus: [{ name: 'NVIDIA GeForce RTX 4060', vendor: 'nvidia', vram_gb: 8, usable: true }],
  summary: 'NVIDIA GeForce RTX 4060 with 8 GB of graphics memory, 31.2 GB of memory',
  recommendation: {
    tier: 'gpu_8', model: 'ollama_chat/qwen3:8b', name: 'qwen3:8b', context_length: 8192, runs_on: 'graphics', cloud_first: false,
    summary: 'qwen3:8b, reading 8,192 tokens at a time', note: 'Fits on the graphics card, so replies stay quick.',
    multilingual_embedding: { model: 'ollama/bge-m3', name: 'bge-m3', size: '1.2 GB', note: 'If you write to Sentient in Hindi or another language, this one finds more.' },
  },
};

const TOOLS = [
  { id: 'files', display_name: 'Files', description: 'Reads and saves files.', category: 'core', icon: 'folder', auth: 'builtin', selection_hint: '', tools: [{ name: 'file_read', description: 'Reads a file.', risk: 'read' }, { name: 'file_write', description: 'Saves a file.', risk: 'write' }] },
  { id: 'gmail', display_name: 'Gmail', description: 'Reads and sends email.', category: 'mail', icon: 'mail', auth: 'oauth', selection_hint: '', tools: [{ name: 'gmail_send_email', description: 'Sends an email.', risk: 'send' }] },
];

export class MockApi {
  /** `publish(type, data)` tells every window. */
  constructor(publish, { model, ollama, fresh }) {
    this.publish = publish;
    this.config = defaults(SCHEMA);
    Object.assign(this.config.models.roles, { primary: model, fast: model, embedding: 'ollama/nomic-embed-text' });
    this.config.assistant.onboarding_complete = !fresh;
    this.local = { ollama: { reachable: true, models: ollama.map((name) => ({ name, size: 5_200_000_000, family: 'qwen3', parameter_size: '8.2B', is_embedding: name.includes('embed'), capabilities: ['completion', 'tools'] })) }, lm_studio: { reachable: false, models: [] } };
    this.secrets = new Map();
    this.grants = [];
    this.notifications = [];
    this.stop = { stopped: false, stopped_at: null, source: null };
    this.busy = { busy: false, job: null, model: null, since: null, waiting: 0, deferred: 0, deferred_reason: null };
    this.asked = []; // method and path of every request but pictures of the page itself
    this.actors = [
      actor('root/core/config', 'config', { requests: [{ name: 'config.read', count: 12, errors: 0, total_us: 480, max_us: 90 }] }),
      actor('root/work/chats', 'chats', { mailbox: 1, requests: [{ name: 'chats.open', count: 3, errors: 0, total_us: 900, max_us: 600 }] }),
      actor('root/work/chats/one', 'chat', { mailbox: 2 }),
      actor('root/edges/feeds', 'feeds', { state: 'degraded', restarts: 3, last_error: 'The mail server did not answer. It is tried again at 09:30.' }),
    ];
    this.usage = { totals: { prompt_tokens: 0, completion_tokens: 0, cost_usd: null }, by_model: [], by_source: [], by_day: [] };
  }

  /** The answer, or `undefined` when this is somebody else's route. */
  async route(method, path, query, body) {
    this.asked.push(`${method} ${path}`);
    const changed = (...sections) => this.publish('config.updated', { sections });
    const { config } = this;
    switch (`${method} ${path}`) {
      case 'GET /api/bootstrap': return this.bootstrap();
      case 'POST /api/onboarding': {
        const given = await body();
        Object.assign(config.assistant, { user_name: given.user_name, name: given.assistant_name, onboarding_complete: true });
        this.onboarded = given;
        changed('assistant');
        return { ok: true };
      }
      case 'GET /api/config': return config;
      case 'GET /api/config/schema': return SCHEMA;
      case 'PATCH /api/config': {
        const change = await body();
        const wrong = problems(SCHEMA, change);
        if (wrong.length) return { status: 422, detail: wrong };
        merge(config, change);
        changed(...Object.keys(change));
        return { saved: true, config };
      }
      case 'GET /api/models/local': return this.local;
      case 'GET /api/models/providers': return PROVIDERS.map((one) => ({ ...one, key_set: one.key_set || this.secrets.has(one.id) }));
      case 'GET /api/models/busy': return this.busy;
      case 'GET /api/system/hardware': return HARDWARE;
      case 'PUT /api/models/roles':
        Object.assign(config.models.roles, await body());
        changed('models');
        return config.models.roles;
      case 'POST /api/models/test': return this.testModel((await body()).model);
      case 'POST /api/models/test-embedding': return { ok: true, dim: 768 };
      case 'GET /api/secrets': return ['anthropic', 'openai', 'integration:brave_search'].map((name) => ({ name, set: this.secrets.has(name), source: this.secrets.has(name) ? 'keychain' : null, kind: name.includes(':') ? 'integration' : 'provider' }));
      case 'GET /api/approvals/grants': return { grants: this.grants };
      case 'GET /api/tools': return TOOLS;
      case 'GET /api/usage': return this.usage;
      case 'GET /api/usage/cost': return this.cost();
      case 'POST /api/usage/budget/keep-going': this.kept = true; return this.cost().budget;
      case 'GET /api/engine/actors': return this.actors;
      case 'GET /api/notifications': return { notifications: this.notifications, unread: this.notifications.filter(({ read }) => !read).length };
      case 'POST /api/notifications/read-all': return this.read(null);
      case 'DELETE /api/notifications': return this.forget(null);
      case 'GET /api/stop': return this.stop;
      case 'POST /api/stop-all': return this.halt(true, await body());
      case 'POST /api/resume': return this.halt(false, await body());
      default: return this.routeOfOne(method, path, body);
    }
  }

  async routeOfOne(method, path, body) {
    const [, , area, id, verb] = path.split('/').map(decodeURIComponent);
    if (area === 'secrets' && method === 'PUT') {
      this.secrets.set(id, (await body()).value);
      this.publish('config.updated', { sections: ['secrets'] });
      return { ok: true };
    }
    if (area === 'secrets' && method === 'DELETE') {
      this.secrets.delete(id);
      this.publish('config.updated', { sections: ['secrets'] });
      return { ok: true };
    }
    if (area === 'notifications' && verb === 'read') return this.read(id);
    if (area === 'notifications' && method === 'DELETE') return this.forget(id);
    if (path.startsWith('/api/approvals/grants/') && method === 'DELETE') {
      this.grants = this.grants.filter((grant) => grant.id !== verb);
      this.publish('approval_grants.updated', { count: this.grants.length });
      return { ok: true };
    }
    return undefined;
  }

  bootstrap() {
    const { assistant, models, ui } = this.config;
    return {
      version: '0.1.0', home: '/home/me/.sentient', assistant: { timezone: 'auto', location: '', ...assistant }, models: models.roles, memory_enabled: true,
      unread_notifications: this.notifications.filter(({ read }) => !read).length, ui, features: { voice: false, proactivity: true }, stop: this.stop,
    };
  }

  testModel(model) {
    const [provider] = model.split('/');
    if (this.secrets.get(provider) === 'wrong') return { ok: false, latency_ms: 80, error: 'Anthropic does not accept this key. Check it in Settings > Models.' };
    return { ok: true, latency_ms: 120, reply: 'Hello.', supports_tools: true };
  }

  cost() {
    const period = (key, label) => ({ key, label, since: now(), cost_usd: 1.25, calls: 40, tokens: 90_000, paid_calls: 10, unpriced_calls: 0, plan_calls: 0, plan_tokens: 0, local_calls: 30, local_tokens: 60_000,
      by_model: [{ model: 'anthropic/claude-sonnet-5', billing: 'paid', calls: 10, prompt_tokens: 25_000, completion_tokens: 5_000, cost_usd: 1.25, unpriced_calls: 0 }, { model: 'ollama_chat/qwen3:8b', billing: 'local', calls: 30, prompt_tokens: 50_000, completion_tokens: 10_000, cost_usd: null, unpriced_calls: 0 }],
      by_role: [{ role: 'primary', calls: 38, prompt_tokens: 70_000, completion_tokens: 14_000, cost_usd: 1.2, unpriced_calls: 0, plan_calls: 0, local_calls: 28 }], claude_code_by_role: [] });
    const limit = this.config.models.monthly_budget_usd;
    const reached = limit > 0 && limit <= 1.25 && !this.kept;
    const budget = { monthly_usd: limit, at_limit: this.config.models.budget_at_limit, spent_usd: 1.25, month: '2026-11', percent: limit ? Math.round(125 / limit) : 0, state: limit === 0 ? 'off' : reached ? 'reached' : 'ok', kept_going: Boolean(this.kept), message: reached ? 'This month\'s model budget is used up.' : '' };
    return { local_only: this.config.models.local_only, periods: [period('today', 'Today'), period('week', 'This week'), period('month', 'This month')], budget };
  }

  // What happens by itself

  note(fields) {
    const note = { id: `n${this.notifications.length + 1}`, kind: 'info', title: 'A note', message: '', payload: {}, task_id: null, read: false, created_at: now(), ...fields };
    this.notifications.unshift(note);
    this.publish('notification.new', note);
    return note;
  }

  read(id) {
    for (const note of this.notifications) if (id === null || note.id === id) note.read = true;
    this.publish('notification.read', { id });
    return { ok: true };
  }

  forget(id) {
    this.notifications = this.notifications.filter((note) => id !== null && note.id !== id);
    this.publish('notification.deleted', { id });
    return { ok: true };
  }

  halt(stopped, { source = 'desktop' } = {}) {
    this.stop = stopped ? (this.stop.stopped ? this.stop : { stopped, stopped_at: now(), source }) : { stopped: false, stopped_at: null, source };
    if (stopped) this.cancelAll?.();
    this.publish('stop.updated', this.stop);
    return stopped ? { ...this.stop, cancelled: 1 } : this.stop;
  }

  work(busy) {
    this.busy = { ...this.busy, ...busy };
    this.publish('model.busy', this.busy);
  }
}

function actor(path, role, fields = {}) {
  return { path, role, state: 'running', mailbox: 0, mailbox_max: 256, restarts: 0, last_error: null, since: now(), requests: [], ...fields };
}
