/** The driver counts right answers on every connection, and stops at a wrong one. */
import { equal, ok, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createDriver } from './driver.mjs';

const requests = Array.from({ length: 8 }, (_, n) => ({
  bytes: Buffer.from(`GET /${n + 1} HTTP/1.1\r\nhost: a\r\n\r\n`),
  isRight: (result) => result === n,
}));

/** Drives a server in this process for a short time. `answer` returns status and body for an id. */
async function drive(answer) {
  const seen = [];
  const listener = createServer((request, response) => {
    const id = Number(request.url.slice(1));
    seen.push(id);
    const [status, body] = answer(id);
    response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const server = { port: listener.address().port, pid: process.pid, lost: new Promise(() => {}) };
  try {
    return { seen, ...(await createDriver(server, requests, 4)(20)) };
  } finally {
    listener.close();
  }
}

const right = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: id - 1 });

test('every request is answered once and counted, except the first of each connection', async () => {
  const { seen, count, p90Ms } = await drive((id) => [200, right(id)]);
  equal(count, seen.length - 4);
  equal(new Set(seen).size, 8);
  ok(count >= 4 && p90Ms > 0);
});

for (const [what, answer] of [
  ['another result', (id) => [200, JSON.stringify({ jsonrpc: '2.0', id, result: 99 })]],
  ['another id', (id) => [200, JSON.stringify({ jsonrpc: '2.0', id: id + 1, result: id - 1 })]],
  ['an error', (id) => [200, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } })]],
  ['another status', (id) => [404, right(id)]],
]) {
  test(`${what} stops the run`, async () => {
    await rejects(drive(answer), /wrong answer/);
  });
}
