/** SIGKILL at any moment: no answered call without its records, and the chain continues after the restart. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type AuditCheckpoint, verifyAudit } from 'tenon/guard';
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

/** Opens the log again, and lists what is wrong: what was answered or anchored and is missing. */
async function problemsIn(folder: string, { calls, anchors }: Printed): Promise<string[]> {
  const { audit } = openAudit(folder);
  await audit.open();
  await audit.close();
  const result = await verifyAudit(folder, {
    publicKey: key.publicKey,
    ...(anchors.length > 0 && { anchor: anchors.slice(-1) }),
  });
  if (!result.valid) return [result.message];
  const records = await searched(folder, { includePrivate: true, maxRecords: 1_000_000 });
  const found = new Set(records.map(({ kind, what }) => `${kind} ${String(what?.call)}`));
  // Old segments are deleted once they are anchored.
  const firstCall = Number(records.find(({ kind }) => kind === 'call-start')?.what?.call);
  const retained = result.firstRecord === 0 ? calls : calls.filter((call) => call > firstCall + 3);
  const wanted = retained.flatMap((call) => [`call-start ${call}`, `call-end ${call}`]);
  const unreadable = records.filter(({ sealed, private: values }) => sealed !== undefined && values === undefined);
  return [
    ...wanted.filter((one) => !found.has(one)).map((one) => `missing: ${one}`),
    ...unreadable.map(({ n }) => `without values: ${n}`),
  ];
}

const rounds = scaled(2, 40);
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
        expect(await killOnce(folder, all, { durability }, 1 + (seed % 200))).toEqual([]);
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
        expect(await killOnce(folder, all, { durability, fault }, Number.POSITIVE_INFINITY)).toEqual([]);
      }
    },
  );
});

/** Runs a process until it is killed, and checks all that was answered and anchored in this folder. Lists what is wrong. */
async function killOnce(
  folder: string,
  all: Printed,
  options: Pick<AnsweringOptions, 'durability' | 'fault'>,
  lines: number,
): Promise<string[]> {
  const firstCall = Math.max(0, ...all.calls) + 1000;
  const { calls, anchors } = await runUntilKilled({ folder, firstCall, ...options }, lines);
  all.calls.push(...calls);
  all.anchors.push(...anchors);
  return problemsIn(folder, all);
}
