/** Clients that read nothing are disconnected after stallMs without progress, whatever they send meanwhile; slow readers are not. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { endStalledReaders } from '../../../src/node/http-server/stalled-readers.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

afterEach(() => void vi.useRealTimers());

const stallMs = 30_000;
const page = `${'x'.repeat(12_000_000)}END`;

/** A server whose every answer is one long write, and a client that does not read. Only the interval of the checks is faked. */
async function stalledClient() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const listener = createServer((_request, response) => response.end(page));
  const warnings: Error[] = [];
  const connections = endStalledReaders(listener, stallMs, (warning) => warnings.push(warning));
  onTestFinished(() => {
    connections.stopChecking();
    connections.destroyAll();
    listener.close();
  });
  const connected = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const client = dial({ url: `http://127.0.0.1:${port}` });
  client.socket.pause();

  /** Resolves with the response to a new request, of which the client reads nothing yet. */
  async function request(): Promise<ServerResponse> {
    client.socket.write(written({ method: 'GET' }));
    const answered = new Promise<ServerResponse>((resolve) => listener.once('request', (_, it) => resolve(it)));
    return withTimeout(answered, 'the request');
  }
  /** Lets seconds of the checks pass, each with a turn of the event loop for the real sockets. */
  async function pass(seconds: number, each: () => void = () => {}): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      each();
      vi.advanceTimersByTime(1000);
      await turn();
    }
  }
  return { ...client, warnings, connection: await connected, request, pass };
}

it('a client that reads nothing of one long answer is disconnected after stallMs, with a warning', async () => {
  const { warnings, connection, request, pass } = await stalledClient();
  await request();
  await pass(29);
  expect(warnings).toEqual([]);
  // A few seconds more, for what the buffers of the system take at first.
  await pass(10);
  expect(warnings).toMatchObject([{ code: 'queue-full', details: { stallMs } }]);
  expect(connection.destroyed).toBe(true);
});

it('a client that sends all the time and reads nothing is disconnected as well', async () => {
  const { socket, warnings, request, pass } = await stalledClient();
  await request();
  socket.write('GET / HTTP/1.1\r\nx: ');
  await pass(40, () => void socket.write('y'));
  expect(warnings).toMatchObject([{ code: 'queue-full' }]);
});

it('a client that reads a part of one long answer now and then gets all of it', async () => {
  const { socket, text, until, warnings, request, pass } = await stalledClient();
  await request();
  while (text().length < page.length) {
    await pass(20);
    const length = Math.min(text().length + 2_000_000, page.length);
    socket.resume();
    await until((all) => all.length >= length);
    socket.pause();
  }
  expect(text().endsWith('END')).toBe(true);
  expect(warnings).toEqual([]);
});

it('a client that stalled, caught up and stalls again is disconnected', async () => {
  const { socket, until, warnings, connection, request, pass } = await stalledClient();
  const first = await request();
  const finished = new Promise((resolve) => first.once('finish', resolve));
  await pass(20);
  socket.resume();
  await withTimeout(finished, 'the end of the first answer');
  await until((text) => text.length > page.length && text.endsWith('END'));
  socket.pause();
  await request();
  await pass(40);
  expect(warnings).toMatchObject([{ code: 'queue-full' }]);
  expect(connection.destroyed).toBe(true);
});
