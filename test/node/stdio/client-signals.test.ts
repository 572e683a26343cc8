/** A client that ends without closing leaves no server behind, however stubborn, and ends as it would have without Tenon. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { byHand, staying } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('holding-client');
});

let present: ChildProcessWithoutNullStreams | undefined;
afterEach(() => void present?.kill('SIGKILL'));

const stubborn = byHand(
  'reply(String(process.pid))',
  `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {}); ${staying}`,
);

async function start(manner: string, script = stubborn) {
  const child = spawn(process.execPath, [file, manner, script]);
  present = child;
  const [first] = await withTimeout(once(child.stdout, 'data'), 'the server of the client');
  return { child, server: Number(String(first)) };
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  return withTimeout(once(child, 'exit'), 'the client to end');
}

const gone = (pid: number): Promise<void> => vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('on %s', (signal) => {
  it('a client dies of it, and its stubborn server goes too', async () => {
    const { child, server } = await start('hold');
    expect(isRunning(server)).toBe(true);
    child.kill(signal);
    expect(await ended(child)).toEqual([null, signal]);
    await gone(server);
  });
});

it('a server that leaves when it is asked may do so before its client dies of a signal', async () => {
  const polite = byHand('reply(String(process.pid))', `process.on('SIGTERM', () => process.exit(0)); ${staying}`);
  const { child, server } = await start('hold', polite);
  child.kill('SIGTERM');
  expect(await ended(child)).toEqual([null, 'SIGTERM']);
  await gone(server);
});

it('a server behind a shell has its time too', async () => {
  const notified =
    "process.on('SIGTERM', () => setTimeout(() => { console.error('cleaned up'); process.exit(0) }, 200))";
  const { child, server } = await start(
    'hold behind a shell',
    byHand('reply(String(process.pid))', `${notified}; ${staying}`),
  );
  const received = child.stderr.setEncoding('utf8').toArray();
  child.kill('SIGTERM');
  expect(await ended(child)).toEqual([null, 'SIGTERM']);
  await gone(server);
  expect((await received).join('')).toContain('cleaned up');
});

it('a host that hears a signal itself decides what comes of it, and no server outlives its exit', async () => {
  const { child, server } = await start('own listener');
  child.kill('SIGTERM');
  expect(await ended(child)).toEqual([9, null]);
  await gone(server);
});

it.each([
  ['exits', 'exit', 5],
  ['throws', 'throw', 1],
])('a client that %s takes its stubborn server along', async (_, manner, code) => {
  const { child, server } = await start(manner);
  child.stdin.write('now\n');
  expect(await ended(child)).toEqual([code, null]);
  await gone(server);
});
