/** Readers that stall more than once on one connection: Node resets the timer of a connection for every request. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { endStalledReaders } from '../../../src/node/http-server/stalled-readers.ts';
import { deferred } from '../../kit/deferred.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

afterEach(() => void vi.useRealTimers());

const stallMs = 300;
const page = `${'x'.repeat(12_000_000)}END`;

it('a reader that stalled, caught up and stalls again is disconnected with a warning', async () => {
  // Only the interval of the checks is faked; the timers of sockets are real.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const [first, second] = [deferred<ServerResponse>(), deferred<ServerResponse>()];
  const responses = [first, second];
  const listener = createServer((_request, response) => {
    response.end(page);
    responses.shift()?.resolve(response);
  });
  const warned = deferred<Error>();
  const connections = endStalledReaders(listener, stallMs, warned.resolve);
  const connected = new Promise<Socket>((resolve) => listener.once('connection', resolve));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const { socket, until } = dial({ url: `http://127.0.0.1:${port}` });

  socket.pause();
  socket.write(written({ method: 'GET' }));
  const answer = await withTimeout(first.promise, 'the first request');
  const finished = new Promise((resolve) => answer.once('finish', resolve));
  vi.advanceTimersByTime(stallMs / 2);
  expect((await connected).timeout).toBe(stallMs);
  socket.resume();
  await withTimeout(finished, 'the end of the first answer');
  await until((text) => text.length > page.length && text.endsWith('END'));

  socket.pause();
  socket.write(written({ method: 'GET' }));
  await withTimeout(second.promise, 'the second request');
  vi.advanceTimersByTime(stallMs / 2);
  expect(await withTimeout(warned.promise, 'the reader to be disconnected')).toMatchObject({ code: 'queue-full' });
  expect((await connected).destroyed).toBe(true);
  connections.stopChecking();
  listener.close();
});
