/** A client process that exits without `close()` leaves no server process, and exits as it would without Tenon. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { rawServerScript, staying } from '../../kit/process/node-script.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('holding-client');
});

let present: ChildProcessWithoutNullStreams | undefined;
afterEach(() => void present?.kill('SIGKILL'));

const stubborn = rawServerScript(
  'reply(String(process.pid))',
  `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {}); ${staying}`,
);

async function start(manner: string, script = stubborn) {
  const child = spawn(process.execPath, [file, manner, script]);
  present = child;
  const [first] = await withTimeout(once(child.stdout, 'data'), 'the pid of the server');
  return { child, server: Number(String(first)) };
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  return withTimeout(once(child, 'exit'), 'the client process to exit');
}

const exited = (pid: number): Promise<void> => vi.waitFor(() => expect(isRunning(pid)).toBe(false));

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('on %s', (signal) => {
  it('the client process dies of the signal, and its server is killed although it ignores signals', async () => {
    const { child, server } = await start('hold');
    expect(isRunning(server)).toBe(true);
    child.kill(signal);
    expect(await exitOf(child)).toEqual([null, signal]);
    await exited(server);
  });
});

it('a server that exits on SIGTERM may do so before its client dies of a signal', async () => {
  const polite = rawServerScript(
    'reply(String(process.pid))',
    `process.on('SIGTERM', () => process.exit(0)); ${staying}`,
  );
  const { child, server } = await start('hold', polite);
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([null, 'SIGTERM']);
  await exited(server);
});

it('a server behind a shell also gets time to exit', async () => {
  const cleaningUp =
    "process.on('SIGTERM', () => setTimeout(() => { console.error('cleaned up'); process.exit(0) }, 50))";
  const { child, server } = await start(
    'hold behind a shell',
    rawServerScript('reply(String(process.pid))', `${cleaningUp}; ${staying}`),
  );
  const stderr = child.stderr.setEncoding('utf8').toArray();
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([null, 'SIGTERM']);
  await exited(server);
  expect((await stderr).join('')).toContain('cleaned up');
});

it('a host with its own signal listener decides how it exits, and no server outlives it', async () => {
  const { child, server } = await start('own listener');
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([9, null]);
  await exited(server);
});

it.each([
  ['exits', 'exit', 5],
  ['throws', 'throw', 1],
])('a client process that %s ends its server, although that ignores signals', async (_, manner, code) => {
  const { child, server } = await start(manner);
  child.stdin.write('now\n');
  expect(await exitOf(child)).toEqual([code, null]);
  await exited(server);
});
