// Starts what the page talks to: the program named by SENTIENT_BINARY on an empty home, or the mock. In front of it
// stands a plain TCP relay that a test can cut.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startMockEngine } from './mock-engine.mjs';
import { startModel } from './model.mjs';
import { startOverlay } from './overlay.mjs';

const READY_WITHIN_MS = 20_000;
const STOP_WITHIN_MS = 10_000;
const LOG_CHARS_MAX = 20_000;

/** Hands bytes on. `cut()` breaks every open connection; `refuse(true)` lets nobody in. */
async function startRelay(port) {
  const open = new Set();
  const relay = { refused: false };
  const server = createServer((near) => {
    if (relay.refused) return near.destroy();
    const far = connect(port, '127.0.0.1');
    const pair = [near, far];
    open.add(pair);
    for (const side of pair) {
      side.on('error', () => {});
      side.on('close', () => {
        open.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
    near.pipe(far).pipe(near);
    return undefined;
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return Object.assign(relay, {
    port: server.address().port,
    refuse(refused) {
      relay.refused = refused;
    },
    cut() {
      for (const pair of open) for (const side of pair) side.destroy();
    },
    stop() {
      this.cut();
      return new Promise((ended) => server.close(ended));
    },
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address();
  await new Promise((ended) => server.close(ended));
  return port;
}

/** What an Ollama on this computer would say of its models, and nothing else of it. */
async function startModelServer(models) {
  const server = createHttpServer((request, response) => {
    const tags = { models: models.map((name) => ({ name, model: name, size: 1 })) };
    const known = { '/api/tags': tags, '/api/show': { capabilities: ['completion'], model_info: {} } }[request.url];
    response.writeHead(known ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(known ?? { error: 'not found' }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((ended) => server.close(ended));
  };
  return { address: `http://127.0.0.1:${server.address().port}`, stop };
}

/** The program with the test apps in it lies beside the program; `null` when it was not built. */
export async function programWithApps() {
  if (!process.env.SENTIENT_BINARY) return null;
  const path = join(dirname(process.env.SENTIENT_BINARY), 'with_test_apps');
  return access(path).then(() => path, () => null);
}

/** What the apps of the tests let out, as `{ tool, to, text }`. */
async function leftIn(file) {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

async function startRealEngine(binary, { model, ollama, fresh, apps }) {
  const home = await mkdtemp(join(tmpdir(), 'sentient-page-'));
  const token = randomBytes(32).toString('base64url');
  const port = await freePort();
  const models = await startModelServer(ollama);
  const scripted = apps ? await startModel() : null;
  const out = join(home, 'left.ndjson');
  const bases = [`ollama_chat=${models.address}`, ...(scripted ? [`openai=${scripted.address}`] : [])].join(',');
  const more = scripted ? { OPENAI_API_KEY: 'for tests', SENTIENT_LEFT: out } : {};
  const begin = () => runProgram(binary, { home, token, port, model: scripted ? 'openai/scripted' : model, env: { SENTIENT_BASES: bases, ...more } });
  let program;
  try {
    program = await begin();
    if (!fresh) await setUp(port, token);
  } catch (error) {
    await Promise.all([models.stop(), scripted?.stop()]);
    await rm(home, { recursive: true, force: true });
    throw error;
  }
  // A start of the engine numbers its frames anew, so a window that comes back has lost those it missed.
  const loseFrames = async () => {
    await program.stop('SIGKILL');
    program = await begin();
  };
  const stop = async () => {
    await overlay?.stop();
    await program.stop('SIGTERM');
    await Promise.all([models.stop(), scripted?.stop()]);
    await rm(home, { recursive: true, force: true });
  };
  const overlay = process.env.SENTIENT_WEB ? await startOverlay(port) : null;
  return { engine: null, model: scripted, left: () => leftIn(out), port: overlay?.port ?? port, token, loseFrames, stop };
}

/** The answers of the first minute, so that the window opens with a chat. */
async function setUp(port, token) {
  const answers = { user_name: '', assistant_name: 'Sentient', timezone: 'auto', location: '', persona: 'friendly' };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/api/onboarding`, { method: 'POST', headers, body: JSON.stringify(answers) });
  if (!answer.ok) throw new Error(`the set-up was not taken: ${answer.status} ${await answer.text()}`);
}

async function runProgram(binary, { home, token, port, model, env: more }) {
  const env = { ...process.env, SENTIENT_HOME: home, SENTIENT_GATEWAY_TOKEN: token, ...more };
  const child = spawn(binary, ['serve', '--host', '127.0.0.1', '--port', String(port), '--model', model], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log = (log + data).slice(-LOG_CHARS_MAX)));
  const ended = new Promise((done) => {
    child.on('exit', done);
    child.on('error', (error) => {
      log += error.message;
      done();
    });
  });
  const stop = async (signal) => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  };
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/api/health`).then((answer) => answer.ok, () => false);
    if (ready) return { stop };
    if (child.pid === undefined || child.exitCode !== null || Date.now() > until) {
      await stop('SIGKILL');
      throw new Error(`${binary} did not become ready:\n${log.replaceAll(token, '[token]')}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

/**
 * `{origin, token, relay, engine, loseFrames, stop}`. `engine` is the mock's inside, `null` with a real program: a flow
 * that needs it says so and is a visible skip then. `loseFrames()` makes sure that what a window missed is gone. `ollama` names the
 * models of an Ollama on this computer, `fresh` leaves the set-up to the test; the Ollama of the computer the tests run on is never asked.
 * `apps` starts the program with the apps of the tests in it and a model that a test scripts (`model`, see model.mjs); what
 * really left is in `left()`.
 */
export async function startEngine({ model = 'scripted/tour', ollama = [], fresh = false, apps = false } = {}) {
  const binary = apps ? await programWithApps() : process.env.SENTIENT_BINARY;
  if (apps && !binary) throw new Error('the program with the test apps was not built: cargo build --workspace --bin with_test_apps');
  const started = binary ? await startRealEngine(binary, { model, ollama, fresh, apps }) : await startMockEngine({ model, ollama, fresh });
  const relay = await startRelay(started.port);
  const stop = async () => {
    await relay.stop();
    await started.stop();
  };
  return { ...started, relay, origin: `http://127.0.0.1:${relay.port}`, stop };
}
