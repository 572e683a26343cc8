/** Whatever else in a host listens to signals, the host exits as it would without Tenon, and its servers exit with it. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { rawServerScript, staying } from '../../kit/process/node-script.ts';
import { endAll, type RawProcess, startRaw } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import type { Manner, Plan } from './fixtures/listening-host.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('listening-host');
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-listeners-'));
});
afterEach(() => {
  endAll();
  rmSync(folder, { recursive: true });
});

/** signal-exit is a dependency of npm, which comes with Node or has started this test. */
const signalExit = [
  join(root, 'bench'),
  join(dirname(process.execPath), '../lib/node_modules/npm'),
  join(process.env.npm_execpath ?? root, '../../..'),
  join(process.env.npm_execpath ?? root, '../..'),
]
  .map((place) => join(place, 'node_modules/signal-exit'))
  .find((place) => existsSync(join(place, 'dist/cjs/index.js')));

/** A server that records each SIGTERM and then exits; nothing else makes it exit. */
const exitingOnSigterm = (reaction = 'process.exit(0)'): string => {
  const record = `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'signals'))}, 'SIGTERM ')`;
  return rawServerScript(
    `reply(message.params.name === 'pid' ? String(process.pid) : 'served')`,
    `process.on('SIGTERM', () => { ${record}; ${reaction}; }); ${staying}`,
  );
};

const signals = (): string =>
  existsSync(join(folder, 'signals')) ? readFileSync(join(folder, 'signals'), 'utf8') : '';

interface Started {
  readonly host: RawProcess;
  readonly server: number;
}

async function start(
  ctx: TestContext,
  order: Plan['order'],
  manners: readonly Manner[],
  script = exitingOnSigterm(),
): Promise<Started> {
  if (signalExit === undefined && manners.some((manner) => manner.includes('signal-exit 4')))
    ctx.skip('signal-exit is not installed: npm, which depends on it, was not found');
  const plan: Plan = { order, manners, script, signalExit };
  const host = startRaw(file, { env: { PLAN: JSON.stringify(plan) } });
  const { pid } = await host.answer('ready');
  return { host, server: pid as number };
}

const ended = (host: RawProcess) => withTimeout(host.ended, 'the host to exit');
const exited = (pid: number): Promise<void> => vi.waitFor(() => expect(isRunning(pid)).toBe(false));
const printed = ({ lines }: RawProcess): string[] => lines.filter((line) => !line.startsWith('{'));

describe.each(['before', 'after'] as const)('a host that listens %s it connects', (order) => {
  it.for<Manner>(['process.on', 'process.once', 'signal-exit 4, prevented'])(
    'by %s decides how it exits: its last call is answered, and its exit code counts',
    async (manner, ctx) => {
      const { host, server } = await start(ctx, order, [manner]);
      host.child.kill('SIGINT');
      expect(await ended(host)).toEqual({ code: 7, signal: null });
      expect(printed(host)).toEqual(['served']);
      expect(signals()).toBe('');
      await exited(server);
    },
  );

  it.for<[NodeJS.Signals, Manner[], string[]]>([
    ['SIGINT', ['signal-exit 4'], ['called by 4']],
    ['SIGTERM', ['signal-exit 4'], ['called by 4']],
    ['SIGTERM', ['signal-exit 3'], ['called by 3']],
    ['SIGHUP', ['signal-exit 4', 'signal-exit 3'], ['called by 4', 'called by 3']],
    ['SIGINT', ['signal-exit 3', 'signal-exit 4'], ['called by 4', 'called by 3']],
    ['SIGINT', ['signal-exit 4', 'a second copy of signal-exit 4'], ['called by 4', 'called by the second 4']],
    ['SIGINT', ['all listeners removed and the signal sent again'], []],
  ])('dies of %s by %j, and its server gets SIGTERM before', async ([signal, manners, words], ctx) => {
    const { host, server } = await start(ctx, order, manners);
    host.child.kill(signal);
    expect(await ended(host)).toEqual({ code: null, signal });
    expect(printed(host)).toEqual(words);
    expect(signals()).toBe('SIGTERM ');
    await exited(server);
  });

  it('once, and does not exit, dies of the second signal', async (ctx) => {
    const { host, server } = await start(ctx, order, ['process.once, without exit']);
    host.child.kill('SIGINT');
    await host.answer('received');
    expect(signals()).toBe('');
    host.child.kill('SIGINT');
    expect(await ended(host)).toEqual({ code: null, signal: 'SIGINT' });
    expect(signals()).toBe('SIGTERM ');
    await exited(server);
  });

  it('with a second copy of Tenon and with signal-exit dies of a signal, and the servers of both copies exit', async (ctx) => {
    const { host, server } = await start(ctx, order, ['a second copy of Tenon', 'signal-exit 4']);
    const { pid: other } = await host.answer('copy');
    host.child.kill('SIGTERM');
    expect(await ended(host)).toEqual({ code: null, signal: 'SIGTERM' });
    expect(printed(host)).toEqual(['called by 4']);
    expect(signals()).toBe('SIGTERM SIGTERM ');
    await exited(server);
    await exited(other as number);
  });
});

it('a host that adds a listener while its server is exiting still dies of the earlier signal', async (ctx) => {
  // On SIGTERM the server sends SIGWINCH to its host, which then adds its listener.
  const stubborn = exitingOnSigterm(`process.kill(process.ppid, 'SIGWINCH')`);
  const { host, server } = await start(ctx, 'after', ['process.on, after SIGWINCH'], stubborn);
  host.child.kill('SIGTERM');
  expect(await ended(host)).toEqual({ code: null, signal: 'SIGTERM' });
  expect(printed(host)).toEqual(['listens']);
  await exited(server);
});
