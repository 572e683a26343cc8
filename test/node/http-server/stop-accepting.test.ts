/** A server that stops accepting connections: those that were made by then are served. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { stopAccepting } from '../../../src/node/http-server/listener.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

/** Connects in a thread of its own, and reports when the system has made the connection: the server has not accepted it then. */
const client = `
const { workerData: { port, made } } = require('node:worker_threads');
const socket = require('node:net').connect(port, '127.0.0.1', () => {
  socket.write('GET / HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n');
  Atomics.store(made, 0, 1);
  Atomics.notify(made, 0);
});
socket.on('error', () => {});
`;

it('accepts what the system has connected while the process was busy [S20, S31]', async () => {
  let served: (request: IncomingMessage) => void = () => {};
  const request = new Promise<IncomingMessage>((resolve) => (served = resolve));
  const listener = createServer((received, response) => {
    served(received);
    response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const made = new Int32Array(new SharedArrayBuffer(4));
  const { port } = listener.address() as AddressInfo;
  const worker = new Worker(client, { eval: true, workerData: { port, made } });
  onTestFinished(async () => {
    await worker.terminate();
    listener.closeAllConnections();
  });
  // This thread is busy until the connection waits.
  expect(Atomics.wait(made, 0, 0, 60_000)).not.toBe('timed-out');
  await stopAccepting(listener);
  expect((await withTimeout(request, 'the request')).method).toBe('GET');
  expect(listener.listening).toBe(false);
});
