// A model that says what a test tells it to, behind the wire of an OpenAI service: streams words, makes calls, waits until
// it is let go, or fails. The engine under test is real; only what it would ask a provider is asked here.

import { createServer } from 'node:http';

/**
 * What the engine asks.
 * @typedef {object} Asked
 * @property {string} said the last words of the person (or the job of a helper), with what the engine puts around them
 * @property {{ name: string, text: string }[]} results what tools answered since then
 * @property {string[]} tools the names of those it offers
 */
/**
 * What the model answers: words, calls of tools as `[name, arguments]`, or a failure with this status. `until` is waited
 * for before the last word.
 * @typedef {{ text?: string, thinking?: string, calls?: [string, any][], until?: Promise<any>, status?: number }} Reply
 */

/** @param {any} body @returns {Asked} */
function asked(body) {
  const words = (content) => (Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : content ?? '');
  const at = body.messages.findLastIndex(({ role }) => role === 'user');
  const names = new Map(body.messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id, function: called }) => [id, called.name]));
  const results = body.messages.slice(at + 1).filter(({ role }) => role === 'tool');
  return {
    said: words(body.messages[at]?.content),
    results: results.map(({ tool_call_id: id, content }) => ({ name: names.get(id) ?? '', text: words(content) })),
    tools: (body.tools ?? []).map(({ function: { name } }) => name),
  };
}

/** Starts one. `script` is called for each request and may be set anew at any time. */
export async function startModel() {
  const model = { script: /** @type {(asked: Asked) => Reply | string} */ (() => 'Nothing was scripted.'), asked: /** @type {Asked[]} */ ([]) };
  let count = 0;
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8') || '{}');
    if (!request.url?.endsWith('/chat/completions')) {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      return response.end('{"error":{"message":"not here"}}');
    }
    count += 1;
    const question = asked(body);
    model.asked.push(question);
    const given = model.script(question);
    const reply = typeof given === 'string' ? { text: given } : given;
    if (reply.status) {
      response.writeHead(reply.status, { 'Content-Type': 'application/json', ...(reply.status === 429 && { 'Retry-After': '3600' }) });
      return response.end(JSON.stringify({ error: { message: 'the provider says no', type: 'error', code: null } }));
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = (choices, more = {}) => response.write(`data: ${JSON.stringify({ id: `c${count}`, object: 'chat.completion.chunk', created: 1, model: body.model, choices, ...more })}\n\n`);
    const delta = (value) => send([{ index: 0, delta: value, finish_reason: null }]);
    const words = (text) => text?.match(/\S*\s*/g)?.filter(Boolean) ?? [];
    delta({ role: 'assistant', content: '' });
    for (const word of words(reply.thinking)) delta({ reasoning_content: word });
    const spoken = words(reply.text);
    for (const word of spoken.slice(0, -1)) delta({ content: word });
    await Promise.race([reply.until, reply.until && new Promise((gone) => response.on('close', gone))]);
    for (const word of spoken.slice(-1)) delta({ content: word });
    (reply.calls ?? []).forEach(([name, given], index) => {
      delta({ tool_calls: [{ index, id: `call_${count}_${index}`, type: 'function', function: { name, arguments: JSON.stringify(given) } }] });
    });
    send([{ index: 0, delta: {}, finish_reason: reply.calls?.length ? 'tool_calls' : 'stop' }]);
    send([], { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
    return response.end('data: [DONE]\n\n');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((ended) => server.close(ended));
  };
  return Object.assign(model, { address: `http://127.0.0.1:${server.address().port}/v1`, stop });
}

/** Something a reply can wait for: `{ until, go }`. */
export function gate() {
  let go = () => {};
  const until = new Promise((done) => (go = done));
  return { until, go };
}
