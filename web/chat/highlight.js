// Colours for code. highlight.js and the grammar of a language are fetched when a block first needs them; until then, and
// for a language it does not know, code is plain text. What comes out are text nodes in spans with a class.

const CODE_CHARS_MAX = 30_000;
const LINE_CHARS_MAX = 2_000;
const DEPTH_MAX = 20;

/** The grammars in `vendor/highlight/`, and other names people write. */
const NAMES = {
  bash: 'bash sh shell zsh console shellsession', c: 'c h', cpp: 'cpp c++ cc hpp', csharp: 'csharp cs c#', css: 'css',
  diff: 'diff patch', dockerfile: 'dockerfile docker', go: 'go golang', ini: 'ini toml', java: 'java',
  javascript: 'javascript js mjs cjs jsx', json: 'json json5 jsonc', kotlin: 'kotlin kt', lua: 'lua', makefile: 'makefile make',
  markdown: 'markdown md', php: 'php', powershell: 'powershell ps1', python: 'python py', ruby: 'ruby rb', rust: 'rust rs',
  scss: 'scss', sql: 'sql', swift: 'swift', typescript: 'typescript ts tsx', xml: 'xml html svg xhtml', yaml: 'yaml yml',
};
const grammarOf = new Map(Object.entries(NAMES).flatMap(([grammar, names]) => names.split(' ').map((name) => [name, grammar])));

/** The only classes that come out; the style sheet has a colour for each. */
const CLASSES = new Set(['keyword', 'built_in', 'type', 'literal', 'number', 'operator', 'punctuation', 'property', 'regexp',
  'string', 'subst', 'symbol', 'class', 'function', 'variable', 'title', 'params', 'comment', 'doctag', 'meta', 'section',
  'tag', 'name', 'attr', 'attribute', 'bullet', 'code', 'emphasis', 'strong', 'formula', 'link', 'quote', 'addition',
  'deletion', 'selector-tag', 'selector-id', 'selector-class', 'selector-attr', 'selector-pseudo', 'template-tag',
  'template-variable']);

const loading = new Map();
let engine = null;

/** @param {string} grammar */
async function load(grammar) {
  engine ??= import('../vendor/highlight/core.js').then((module) => module.default);
  if (!loading.has(grammar)) {
    loading.set(grammar, Promise.all([engine, import(`../vendor/highlight/${grammar}.js`)])
      .then(([hljs, module]) => hljs.registerLanguage(grammar, module.default)));
  }
  await loading.get(grammar);
  return engine;
}

/**
 * The parts of `source` in colour, or null where there are none to be had.
 * @param {string} source
 * @param {string} language
 * @returns {Promise<Node[] | null>}
 */
export async function colourful(source, language) {
  const grammar = grammarOf.get(language.toLowerCase());
  if (!grammar || source.length > CODE_CHARS_MAX || source.split('\n').some((line) => line.length > LINE_CHARS_MAX)) return null;
  try {
    const hljs = await load(grammar);
    const { _emitter: tree } = hljs.highlight(source, { language: grammar, ignoreIllegals: true });
    return tree.rootNode.children.map((part) => node(part, 0));
  } catch {
    return null; // plain text says the same
  }
}

/** @param {string | {scope?: string, children: any[]}} part @param {number} depth @returns {Node} */
function node(part, depth) {
  if (typeof part === 'string') return new Text(part);
  const span = document.createElement('span');
  const name = part.scope?.split('.')[0] ?? '';
  if (CLASSES.has(name)) span.className = `hl-${name.replaceAll('_', '-')}`;
  if (depth > DEPTH_MAX) span.textContent = flat(part);
  else span.append(...part.children.map((child) => node(child, depth + 1)));
  return span;
}

const flat = (part) => (typeof part === 'string' ? part : part.children.map(flat).join(''));
