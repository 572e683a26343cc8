/** Whoever else in a host listens to signals, and however, the host ends as it would without Tenon, and its servers with it. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { isRunning } from '../../kit/process/is-running.ts';
import { byHand, staying } from '../../kit/process/node-script.ts';
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

/** npm has it, and comes with Node or has started this test. */
const signalExit = [
  join(root, 'bench'),
  join(dirname(process.execPath), '../lib/node_modules/npm'),
  join(process.env.npm_execpath ?? root, '../../..'),
  join(process.env.npm_execpath ?? root, '../..'),
]
  .map((place) => join(place, 'node_modules/signal-exit'))
  .find((place) => existsSync(join(place, 'dist/cjs/index.js')));

/** Notes when it is asked to leave, and does; nothing else makes it leave. */
const requestedToLeave = (deed = 'process.exit(0)'): string => {
  const note = `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'asked'))}, 'asked ')`;
  return byHand(
    `reply(message.params.name === 'pid' ? String(process.pid) : 'served')`,
    `process.on('SIGTERM', () => { ${note}; ${deed}; }); ${staying}`,
  );
};

const requested = (): string => (existsSync(join(folder, 'asked')) ? readFileSync(join(folder, 'asked'), 'utf8') : '');

interface Started {
  readonly host: RawProcess;
  readonly server: number;
}

async function start(
  ctx: TestContext,
  order: Plan['order'],
  manners: readonly Manner[],
  script = requestedToLeave(),
): Promise<Started> {
  if (signalExit === undefined && manners.some((manner) => manner.includes('signal-exit 4')))
    ctx.skip('no npm here, of which signal-exit is a part');
  const plan: Plan = { order, manners, script, signalExit };
  const host = startRaw(file, { env: { PLAN: JSON.stringify(plan) } });
  const { pid } = await host.answer('ready');
  return { host, server: pid as number };
}

const ended = (host: RawProcess) => withTimeout(host.ended, 'the host to end', 10_000);
const gone = (pid: number): Promise<void> => vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
const notified = ({ lines }: RawProcess): string[] => lines.filter((line) => !line.startsWith('{'));

describe.each(['before', 'after'] as const)('a host that listens %s it connects', (order) => {
  it.for<Manner>(['process.on', 'process.once', 'signal-exit 4, told to stay'])(
    'by %s decides what comes of a signal: its last call is answered, and it exits as it likes',
    async (manner, ctx) => {
      const { host, server } = await start(ctx, order, [manner]);
      host.child.kill('SIGINT');
      expect(await ended(host)).toEqual({ code: 7, signal: null });
      expect(notified(host)).toEqual(['served']);
      expect(requested()).toBe('');
      await gone(server);
    },
  );

  it.for<[NodeJS.Signals, Manner[], string[]]>([
    ['SIGINT', ['signal-exit 4'], ['told by 4']],
    ['SIGTERM', ['signal-exit 4'], ['told by 4']],
    ['SIGTERM', ['signal-exit 3'], ['told by 3']],
    ['SIGHUP', ['signal-exit 4', 'signal-exit 3'], ['told by 4', 'told by 3']],
    ['SIGINT', ['signal-exit 3', 'signal-exit 4'], ['told by 4', 'told by 3']],
    ['SIGINT', ['signal-exit 4', 'a second copy of signal-exit 4'], ['told by 4', 'told by the second 4']],
    ['SIGINT', ['all listeners taken off and the signal sent again'], []],
  ])('dies of %s by %j, and its server is asked to leave before', async ([signal, manners, words], ctx) => {
    const { host, server } = await start(ctx, order, manners);
    host.child.kill(signal);
    expect(await ended(host)).toEqual({ code: null, signal });
    expect(notified(host)).toEqual(words);
    expect(requested()).toBe('asked ');
    await gone(server);
  });

  it('once, and stays, dies of the second signal', async (ctx) => {
    const { host, server } = await start(ctx, order, ['process.once, and stays']);
    host.child.kill('SIGINT');
    await host.answer('heard');
    expect(requested()).toBe('');
    host.child.kill('SIGINT');
    expect(await ended(host)).toEqual({ code: null, signal: 'SIGINT' });
    expect(requested()).toBe('asked ');
    await gone(server);
  });

  it('with a second copy of Tenon and with signal-exit dies of a signal, and the servers of both copies leave', async (ctx) => {
    const { host, server } = await start(ctx, order, ['a second copy of Tenon', 'signal-exit 4']);
    const { pid: other } = await host.answer('copy');
    host.child.kill('SIGTERM');
    expect(await ended(host)).toEqual({ code: null, signal: 'SIGTERM' });
    expect(notified(host)).toEqual(['told by 4']);
    expect(requested()).toBe('asked asked ');
    await gone(server);
    await gone(other as number);
  });
});

it('a host that begins to listen while its server may still leave dies all the same of the signal that came before', async (ctx) => {
  // The server, asked to leave, has its host listen from then on.
  const stubborn = requestedToLeave(`process.kill(process.ppid, 'SIGWINCH')`);
  const { host, server } = await start(ctx, 'after', ['process.on, after SIGWINCH'], stubborn);
  host.child.kill('SIGTERM');
  expect(await ended(host)).toEqual({ code: null, signal: 'SIGTERM' });
  expect(notified(host)).toEqual(['listens']);
  await gone(server);
});
