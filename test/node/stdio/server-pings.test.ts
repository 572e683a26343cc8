/** A server process that pings its client, at an interval and by hand. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { call, endAll, handshake, type Json, resultText, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('pinging-server');
});
afterEach(endAll);

/** Resolves with the next ping of the server. */
const pinged = (server: ReturnType<typeof startRaw>): Promise<Json> =>
  withTimeout(
    new Promise<Json>((resolve) => {
      const look = (): void => {
        const ping = server.lines.map((line) => JSON.parse(line) as Json).find(({ method }) => method === 'ping');
        if (ping !== undefined) resolve(ping);
      };
      server.child.stdout.on('data', () => setImmediate(look));
      look();
    }),
    'a ping',
  );

it('pings at an interval, and ends the connection of a client that does not answer [S16]', async () => {
  const server = startRaw(file, { env: { PING_MS: '50' } });
  server.send(handshake(), { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(await pinged(server)).toMatchObject({ jsonrpc: '2.0', method: 'ping' });
  expect((await server.ended).code).toBe(1);
  expect(server.stderr()).toContain('did not answer a ping within 50 ms');
});

it('pings by hand in a session [S16]', async () => {
  const server = startRaw(file, { env: { PING_MS: '600000' } });
  server.send(handshake(), { jsonrpc: '2.0', method: 'notifications/initialized' });
  server.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'answers' } });
  const { id } = await pinged(server);
  server.send({ jsonrpc: '2.0', id, result: {} });
  // The id of the ping may be that of the call.
  await withTimeout(
    new Promise<void>((resolve) => {
      const look = (): void => {
        if (server.lines.some((line) => resultText(JSON.parse(line) as Json) === 'answered')) resolve();
      };
      server.child.stdout.on('data', () => setImmediate(look));
      look();
    }),
    'the result',
  );
  expect(server.lines.some((line) => line.includes('answered'))).toBe(true);
});

it('does not ping at 2026-07-28, which has no ping [S16]', async () => {
  const server = startRaw(file, { env: { PING_MS: '5' } });
  server.send(call(1, 'answers'));
  expect(resultText(await server.answer(1))).toBe('capability-not-supported');
  server.send(call(2, 'answers'));
  await server.answer(2);
  expect(server.lines.some((line) => line.includes('"method":"ping"'))).toBe(false);
});
