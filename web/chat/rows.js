// Stored rows of a chat, folded into what is shown: each reply holds its calls and their results (contract section 2,
// `GET /api/sessions/{id}/messages`). No DOM, no network.

/**
 * A reply in the making or stored.
 * @param {string | null} turnId
 * @param {'running' | 'done' | 'stopped' | 'failed'} state
 * @param {boolean} whole whether it was heard from its beginning
 */
export const newReply = (turnId, state, whole) => ({
  kind: 'reply', turnId, state, whole, ids: /** @type {string[]} */ ([]), at: /** @type {string | null} */ (null),
  blocks: /** @type {any[]} */ ([]), sources: /** @type {any[]} */ ([]), memories: /** @type {any[]} */ ([]), checks: /** @type {any[]} */ ([]),
});

/**
 * @param {string} callId
 * @param {string} name
 */
export const newCall = (callId, name) => ({
  kind: 'call', callId, name, args: null, output: '', status: '', picture: null, state: 'running', result: null,
  ms: null, approval: null, undo: null, check: null,
});

/** Arguments and results travel as JSON text in stored rows. @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** How a call ended. @param {any} result @param {boolean} isError */
export function outcome(result, isError) {
  if (result?.declined) return 'declined';
  if (result?.undone) return 'undone';
  if (result?.handed_off) return 'handed';
  return isError ? 'failed' : 'done';
}

/** Rows, oldest first, as items. @param {any[]} rows */
export function itemsOf(rows) {
  const items = /** @type {any[]} */ ([]);
  const reply = () => {
    if (items.at(-1)?.kind !== 'reply') items.push(newReply(null, 'done', true));
    return items.at(-1);
  };
  for (const row of rows) {
    const item = itemOf(row, items, reply);
    item.ids ??= [];
    if (row.id) item.ids.push(row.id);
    item.at ??= row.created_at ?? null;
  }
  return items;
}

/** The item a row belongs to; a new one where it begins one. */
function itemOf(row, items, reply) {
  const begin = (item) => {
    items.push(item);
    return item;
  };
  if (row.role === 'user' && row.interjection) {
    const item = reply();
    item.blocks.push({ kind: 'steer', text: row.content });
    return item;
  }
  if (row.role === 'user') return begin({ kind: 'user', text: row.content, attachments: row.attachments ?? [], state: 'stored' });
  if (row.role === 'other') return begin({ kind: 'other', name: row.name, text: row.content });
  if (row.role === 'assistant' || row.role === 'tool') {
    const item = reply();
    if (row.role === 'assistant') addAssistantRow(item, row);
    else addToolRow(item, row);
    return item;
  }
  return begin({ kind: 'event', name: row.name, event: parsed(row.content) });
}

function addAssistantRow(reply, row) {
  if (row.thinking) reply.blocks.push({ kind: 'thinking', text: row.thinking });
  if (row.content) reply.blocks.push({ kind: 'text', text: row.content });
  for (const { id, function: called } of row.tool_calls ?? []) {
    reply.blocks.push({ ...newCall(id, called.name), args: parsed(called.arguments), state: 'ended' });
  }
  reply.sources.push(...(row.sources ?? []));
  reply.memories.push(...(row.memory_sources ?? []));
  reply.checks.push(...(row.checks ?? []));
}

function addToolRow(reply, row) {
  let call = reply.blocks.find((block) => block.kind === 'call' && block.callId === row.tool_call_id);
  if (!call) {
    call = newCall(row.tool_call_id, row.name ?? 'tool');
    reply.blocks.push(call);
  }
  call.result = parsed(row.content);
  call.state = outcome(call.result, Boolean(call.result?.error));
  if (row.approval) call.approval = { ...row.approval, state: 'answered' };
}
