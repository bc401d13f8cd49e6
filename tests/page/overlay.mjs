// Serves the window from the checkout and hands everything else to a running engine, so that the window can be worked on
// and tried against the program without building the program again. The program itself holds its own copy of the window.

import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import { CSP, asset } from './mock-engine.mjs';

/** Stands in front of the engine at `port`; answers its own port and how to stop it. */
export async function startOverlay(port) {
  const open = new Set();
  const server = createServer(async (near, answer) => {
    const file = near.method === 'GET' ? await asset(new URL(near.url, 'http://127.0.0.1').pathname) : null;
    if (file) {
      answer.writeHead(200, { 'Content-Type': file.mime, 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' });
      return answer.end(file.bytes);
    }
    const far = ask({ host: '127.0.0.1', port, method: near.method, path: near.url, headers: near.headers }, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      reply.pipe(answer);
    });
    far.on('error', () => answer.destroy());
    near.on('close', () => near.errored && far.destroy());
    return near.pipe(far);
  });
  server.on('upgrade', (near, socket, head) => {
    const far = connect(port, '127.0.0.1', () => {
      const headers = near.rawHeaders.map((part, index) => (index % 2 ? `${part}\r\n` : `${part}: `)).join('');
      far.write(`${near.method} ${near.url} HTTP/1.1\r\n${headers}\r\n`);
      far.write(head);
      far.pipe(socket).pipe(far);
    });
    for (const [side, other] of [[socket, far], [far, socket]]) {
      open.add(side);
      side.on('error', () => {});
      side.on('close', () => {
        open.delete(side);
        other.destroy();
      });
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = () => new Promise((ended) => {
    for (const side of open) side.destroy();
    server.closeAllConnections();
    server.close(ended);
  });
  return { port: server.address().port, stop };
}
