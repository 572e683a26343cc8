/** Clients that call through nginx while one node and all nodes are killed and nginx is restarted: what may be repeated is sent again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallOptions, connect, type TenonError, toText } from 'tenon';
import { expect, it } from 'vitest';
import { missingPrograms } from '../../../examples/cluster/programs.ts';
import { requires } from '../../kit/requires.ts';
import { behindNginx } from './behind-nginx.ts';

const revisions = ['2025-11-25', '2026-07-28'] as const;
const clientsOfEach = 3;

/** What a call came to: its line if it was answered. */
interface Ending {
  readonly line: string;
  readonly error?: TenonError;
}

/** Clients of both forms that call until `stop()`, which returns how every call ended. */
async function calling(url: string, file: string, optionsOf: (line: string) => CallOptions) {
  const endings: Ending[] = [];
  const stopping = new AbortController();
  const loops = revisions.flatMap((revision) =>
    Array.from({ length: clientsOfEach }, async (_, n) => {
      const client = await connect(url, { protocolVersions: [revision], timeoutMs: 120_000, onWarning() {} });
      for (let calls = 0; !stopping.signal.aborted; calls++) {
        const line = `${revision} ${n} ${calls}`;
        await client.tools.call('note', { file, line }, optionsOf(line)).then(
          (result) => endings.push({ line: toText(result) }),
          (error: TenonError) => endings.push({ line, error }),
        );
      }
      await client.close();
    }),
  );
  return {
    /** Resolves when this many more calls were answered. */
    async answeredMore(count: number): Promise<void> {
      const answered = (): number => endings.filter(({ error }) => error === undefined).length;
      const wanted = answered() + count;
      await expect.poll(answered, { timeout: 120_000 }).toBeGreaterThanOrEqual(wanted);
    },
    async stop(): Promise<Ending[]> {
      stopping.abort();
      await Promise.all(loops);
      return endings;
    },
  };
}

/** Kills a node and all nodes, and restarts nginx, while clients call. */
async function endingsOverKills(optionsOf: (line: string) => CallOptions) {
  const { url, folder, restart, restartNginx, answered } = await behindNginx();
  const file = join(folder, 'notes');
  writeFileSync(file, '');
  const clients = await calling(url, file, optionsOf);
  await clients.answeredMore(50);
  for (const which of [[0], [0, 1, 2]]) {
    await restart('SIGKILL', which);
    await clients.answeredMore(50);
  }
  await restartNginx();
  await clients.answeredMore(50);
  const endings = await clients.stop();
  expect(answered(502)).toBeGreaterThan(0);
  return { endings, lines: readFileSync(file, 'utf8').trim().split('\n') };
}

const failuresIn = (endings: readonly Ending[]): string[] =>
  endings.flatMap(({ line, error }) => (error === undefined ? [] : [`${line}: ${error.code} ${error.message}`]));

it('no retryable call fails [S20, S27]', { timeout: 300_000 }, async (context) => {
  requires(context, missingPrograms(['nginx']));
  const { endings } = await endingsOverKills(() => ({ retryable: true }));
  expect(failuresIn(endings)).toEqual([]);
});

it('a call with a key runs at most once, and fails only as outcome-unknown [S20, S27, S31]', {
  timeout: 300_000,
}, async (context) => {
  requires(context, missingPrograms(['nginx']));
  const { endings, lines } = await endingsOverKills((idempotencyKey) => ({ idempotencyKey }));
  expect(lines).toHaveLength(new Set(lines).size);
  const answered = endings.filter(({ error }) => error === undefined).map(({ line }) => line);
  expect(answered.filter((line) => !lines.includes(line))).toEqual([]);
  expect(failuresIn(endings).filter((failure) => !failure.includes(': outcome-unknown '))).toEqual([]);
});
