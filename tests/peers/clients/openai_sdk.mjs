// OpenAI's own JavaScript client, pointed at Sentient: one scenario per run, one JSON object on standard output.
// `openai_sdk.mjs FOLDER SCENARIO TEXT USER`; the client reads OPENAI_BASE_URL and OPENAI_API_KEY itself, and is loaded
// from the `node_modules` of FOLDER.

import { createRequire } from "node:module";

const [folder, scenario, text, user] = process.argv.slice(2);
const OpenAI = createRequire(`${folder}/`)("openai");
const client = new OpenAI({ timeout: 60_000 });

function ask(said, more) {
  return client.chat.completions.create({ model: "sentient", messages: [{ role: "user", content: said }], user, ...more });
}

async function whole() {
  const answer = await ask(text);
  const [choice] = answer.choices;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = answer.usage;
  const { role, content } = choice.message;
  return { text: content, role, finish: choice.finish_reason, model: answer.model, usage: [prompt, completion, total] };
}

async function streamed() {
  const got = { text: "", pieces: 0, roles: [], finish: null, usage: null };
  for await (const chunk of await ask(text, { stream: true, stream_options: { include_usage: true } })) {
    for (const { delta, finish_reason: finish } of chunk.choices) {
      if (delta.role) got.roles.push(delta.role);
      if (delta.content) {
        got.text += delta.content;
        got.pieces += 1;
      }
      got.finish = finish ?? got.finish;
    }
    got.usage = chunk.usage?.total_tokens ?? got.usage;
  }
  return got;
}

// What the client makes of a failure: its class, and what that carries.
async function failed(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    return { class: error.constructor.name, status: error.status ?? null, code: error.code, message: error.message };
  }
  return { class: null };
}

async function hangUp() {
  const stream = await ask(text, { stream: true });
  for await (const chunk of stream) {
    const said = chunk.choices[0]?.delta.content;
    if (said) {
      stream.controller.abort();
      return { text: said };
    }
  }
  return {};
}

async function busy() {
  const stream = await ask(text, { stream: true });
  const refused = await failed(() => ask("Hello"));
  stream.controller.abort();
  return refused;
}

async function models() {
  const found = [];
  for await (const model of client.models.list()) found.push(model.id);
  return found;
}

const scenarios = {
  models,
  whole,
  stream: streamed,
  fail: () => failed(whole),
  fail_stream: () => failed(streamed),
  fail_empty: () => failed(() => client.chat.completions.create({ model: "sentient", messages: [] })),
  hang_up: hangUp,
  busy,
};
console.log(JSON.stringify(await scenarios[scenario]()));
