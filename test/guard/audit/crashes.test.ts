/** SIGKILL at any moment: no answered call without its records, and the chain continues after the restart. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type AuditCheckpoint, type AuditRecord, verifyAudit } from 'tenon/guard';
import { beforeAll, describe, expect, it } from 'vitest';
import { inWords, scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { key, newFolder, openAudit, searched } from './audit-folder.ts';
import type { AnsweringOptions, Fault } from './fixtures/answering.ts';

let program = '';
beforeAll(async () => {
  program = await bundledProgram('answering', 'audit');
});

/** What a process printed before it was killed. */
interface Printed {
  readonly calls: number[];
  readonly anchors: AuditCheckpoint[];
}

/** Kills the process at the n-th line it prints, unless it kills itself before. */
async function runUntilKilled(options: Omit<AnsweringOptions, 'key'>, lines: number): Promise<Printed> {
  const child = spawn(process.execPath, [program, JSON.stringify({ ...options, key: key.privateKey })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: Printed = { calls: [], anchors: [] };
  const ended = once(child, 'exit');
  let count = 0;
  for await (const line of createInterface(child.stdout)) {
    const { call, checkpoint } = JSON.parse(line) as { call?: number; checkpoint?: AuditCheckpoint };
    if (call !== undefined) printed.calls.push(call);
    if (checkpoint !== undefined) printed.anchors.push(checkpoint);
    if (++count === lines) child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
  return printed;
}

/** Opens the log again: nothing that was answered or anchored is missing. */
async function checkLog(folder: string, { calls, anchors }: Printed): Promise<void> {
  const { audit } = openAudit(folder);
  await audit.open();
  await audit.close();
  const result = await verifyAudit(folder, { publicKey: key.publicKey, anchor: anchors.slice(-1) });
  expect(result).toMatchObject({ valid: true });
  if (!result.valid) return;
  const numbers = new Map<string, Set<unknown>>([
    ['call-start', new Set()],
    ['call-end', new Set()],
  ]);
  const records = await searched(folder, { includePrivate: true, maxRecords: 1_000_000 });
  for (const { kind, what } of records) numbers.get(kind)?.add(what?.call);
  const firstKept = Math.min(...([...(numbers.get('call-start') ?? [])] as number[]));
  // Old segments are deleted once they are anchored.
  const wanted = result.firstRecord === 0 ? calls : calls.filter((call) => call > firstKept + 3);
  for (const [kind, found] of numbers) expect([kind, wanted.filter((call) => !found.has(call))]).toEqual([kind, []]);
  for (const record of records.filter(hasCall)) expect(record.private).toBeDefined();
}

const hasCall = ({ kind }: AuditRecord): boolean => kind === 'call-start' || kind === 'call-end';

const rounds = scaled(2, 60);
/** After how many calls of a function: the long run tries many. */
const counts = [40, 0, 1, 2, 3, 4, 5, 7, 11, 16, 23].slice(0, scaled(1, 11));
const faults: readonly (readonly [Fault['name'], Fault['moment'], 'os' | 'sync'])[] = [
  ['writeSync', 'before', 'os'],
  ['writeSync', 'half', 'os'],
  ['writeSync', 'after', 'os'],
  ['openSync', 'before', 'os'],
  ['openSync', 'after', 'sync'],
  ['fdatasync', 'before', 'sync'],
  ['closeSync', 'before', 'os'],
  ['rmSync', 'before', 'os'],
  ['rmSync', 'after', 'os'],
];

describe('a process that is killed', () => {
  it.each(['os', 'sync'] as const)(
    `at random, ${inWords(rounds)} times in one folder with durability %s, has a record of every call it answered [S24]`,
    async (durability) => {
      const folder = await newFolder();
      const all: Printed = { calls: [], anchors: [] };
      let seed = 19;
      for (let round = 0; round < rounds; round++) {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        await killOnce(folder, all, { durability }, 1 + (seed % 200));
      }
    },
  );

  it.each(counts)(
    'in a function of the file system, after %i calls of it, has a record of every call it answered [S24]',
    async (after) => {
      const folder = await newFolder();
      const all: Printed = { calls: [], anchors: [] };
      for (const [name, moment, durability] of faults) {
        const fault = { name, moment, after: name === 'rmSync' ? after % 2 : after };
        await killOnce(folder, all, { durability, fault }, Number.POSITIVE_INFINITY);
      }
    },
  );
});

/** Runs a process until it is killed, and checks all that was answered and anchored in this folder. */
async function killOnce(
  folder: string,
  all: Printed,
  options: Pick<AnsweringOptions, 'durability' | 'fault'>,
  lines: number,
): Promise<void> {
  const firstCall = Math.max(0, ...all.calls) + 1000;
  const { calls, anchors } = await runUntilKilled({ folder, firstCall, ...options }, lines);
  all.calls.push(...calls);
  all.anchors.push(...anchors);
  await checkLog(folder, all);
}
