/** Lines that are not messages cost little and block nothing, neither in a client nor in a server. */

import { once } from 'node:events';
import { connect, toText } from 'tenon';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { program, rawServerScript } from '../../kit/process/node-script.ts';
import { call, endAll, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('plain-server');
});
afterEach(endAll);

it('a client process stays responsive while its server prints a megabyte that is not messages [S26]', async () => {
  const script = rawServerScript(`process.stdout.write('y\\n'.repeat(500_000), () => reply('done'))`);
  const client = await connect(program(script), { protocolVersions: ['2025-06-18'], onWarning: () => {} });
  let turns = 0;
  const work = setInterval(() => turns++, 1);
  expect(toText(await withTimeout(client.tools.call('any'), 'the answer after the noise'))).toBe('done');
  clearInterval(work);
  expect(client.stats().dropped.invalid).toBe(500_000);
  // After each chunk other tasks get a turn of the event loop.
  expect(turns).toBeGreaterThanOrEqual(8);
  await client.close();
});

it('connecting to a program that only prints fails at the timeout', async () => {
  const failing = connect({ command: 'yes' }, { timeoutMs: 300, onWarning: () => {} });
  const settled = failing.then(
    () => undefined,
    (error: Error) => error,
  );
  expect(await withTimeout(settled, 'the timeout')).toMatchObject({ code: 'timeout' });
});

it('a server answers a thousand unreadable lines in a row, then exits with an error', async () => {
  const server = startRaw(file);
  await server.wrote('serving');
  server.child.stdin.write('y\n'.repeat(5000));
  expect(await server.ended).toEqual({ code: 1, signal: null });
  expect(server.stderr()).toContain('1000 lines in a row');
  expect(server.lines).toHaveLength(1000);
});

it('a server that gets messages between unreadable lines continues', async () => {
  const server = startRaw(file, { unread: true });
  let out = '';
  server.child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  for (let id = 0; id < 5; id++) {
    const text = `${'y\n'.repeat(900)}${JSON.stringify(call(id, 'echo', { text: `still ${id}` }))}\n`;
    if (!server.child.stdin.write(text)) await once(server.child.stdin, 'drain');
  }
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  for (let id = 0; id < 5; id++) expect(out).toContain(`still ${id}`);
});
