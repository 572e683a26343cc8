/** Random runs and takes on a driver have the results that they have on the engine in memory. The test of a driver calls it. */
import { relative } from 'node:path';
import * as fc from 'fast-check';
import type { Log, NewEntry, Op, OpResult, Ran, Row, StoreDriver, Taken, TakeRequest, When } from 'tenon/store';
import type { DriverUnderTest } from 'tenon/store/testing';
import { expect } from 'vitest';
import { createMemoryDriver, type MemoryDriver } from '../../../src/store/memory/memory-driver.ts';
import { root } from '../../architecture/source-tree.ts';
import { isLong } from '../../kit/long.ts';
import { type Action, type ModelOp, opsOfStep, sequence } from './random-steps.ts';

/** One driver, and what ops of a sequence need to know of it. */
interface Side {
  readonly driver: StoreDriver;
  readonly prefix: string;
}

/** Milliseconds that no other op of the sequence adds. */
const offset = (at: number, index: number): number => at * (opsOfStep + 2) + index + 1;

const read = async ({ driver, prefix }: Side, name: string, one: Op): Promise<OpResult> => {
  const ran = await driver.run(prefix + name, [one]);
  return ran.failed === undefined ? ran.results[0] : undefined;
};

/** The condition, of the version that the row has in memory. */
function whenOf(
  memory: MemoryDriver,
  name: string,
  rowKey: string,
  kind: (ModelOp & { op: 'put' })['when'],
): When | undefined {
  if (kind === undefined || kind === 'absent' || kind === 'present') return kind;
  const ran = memory.run(name, [{ op: 'get', key: rowKey }]);
  const row = (ran.failed === undefined ? ran.results[0] : undefined) as Row | undefined;
  const version = kind.endsWith('own') ? (row?.version ?? 'none') : 'other';
  return kind.startsWith('absentOr') ? { absentOr: version } : { version };
}

const given = <T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;

const queueOf = (rowKey: string): string => (rowKey < 'k3' ? 'q' : 's');

/** The op as it is run at this step: the same for both sides but for the number that `list` begins after. */
async function resolved(
  one: ModelOp,
  side: Side,
  memory: Side & { driver: MemoryDriver },
  at: number,
  index: number,
  name: string,
  hasLanes: boolean,
): Promise<Op> {
  const ms = offset(at, index);
  const version = `v${at}.${index}`;
  const expiry = (inSeconds: number | undefined) =>
    given({ expiresInMs: inSeconds === undefined ? undefined : inSeconds * 1000 + 500 });
  switch (one.op) {
    case 'put': {
      const { key: rowKey, data, fields, alias, groups, due, expires, below } = one;
      const lane = hasLanes ? rowKey : '';
      const entry = { queue: queueOf(rowKey), inMs: due === undefined ? undefined : due * 1000 + ms, lane };
      return {
        op: 'put',
        key: rowKey,
        version,
        ...given({
          data,
          fields,
          alias,
          groups,
          below,
          when: whenOf(memory.driver, memory.prefix + name, rowKey, one.when),
        }),
        ...expiry(expires),
        // Half of the puts leave the queue as it is.
        ...((due !== undefined || at % 4 === 0) && { due: [entry] }),
      };
    }
    case 'put text':
      return {
        op: 'put',
        key: one.key,
        version,
        data: one.data,
        groups: [{ name: 'c', maxChars: 8 }],
        ...expiry(one.expires),
      };
    case 'delete':
      return {
        op: 'delete',
        key: one.key,
        ...given({ when: whenOf(memory.driver, memory.prefix + name, one.key, one.when) }),
      };
    case 'list': {
      const row =
        one.after === undefined
          ? undefined
          : ((await read(side, name, { op: 'get', key: one.after })) as Row | undefined);
      return { op: 'list', group: one.group, max: one.max, ...given({ after: row?.number }) };
    }
    case 'append': {
      const { row, log, mark, note, isFollowed, end, room } = one;
      const logs = (await read(memory, name, { op: 'logs', row })) as readonly Log[];
      const count = logs.find((each) => each.name === log)?.count ?? 0;
      const entries: NewEntry[] = one.texts.map((data) =>
        data === undefined ? { chars: 0 } : { data, chars: data.length },
      );
      return {
        op: 'append',
        row,
        log,
        entries,
        ...given({ at: one.at === undefined ? undefined : count + 1 + one.at, mark, note, isFollowed, end, room }),
      };
    }
    case 'tokens':
      return { ...one, fullMs: one.key === 't0' ? 1000 : 2000 };
    default:
      return one;
  }
}

/** At most one op of a run has the same alias, bucket or text: what two of them do is left open. */
function withoutRepeats(ops: readonly ModelOp[]): readonly ModelOp[] {
  const seen = new Set<string>();
  return ops.filter((one) => {
    const names =
      one.op === 'put' && one.alias !== undefined
        ? [one.alias]
        : one.op === 'tokens'
          ? [one.key]
          : one.op === 'put text'
            ? ['text']
            : [];
    const isNew = names.every((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  });
}

/** Without what an engine may number as it likes. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const { number: _number, storeChars: _storeChars, ...rest } = value as Record<string, unknown>;
  const entries = Object.entries(rest).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, name === 'ended' ? Number(each) > 0 : shown(each)]));
}

const withoutPrefix = (taken: readonly Taken[], prefix: string): readonly Taken[] =>
  taken.map((one) => ({ ...one, partition: one.partition.slice(prefix.length) }));

const byKey = (one: Taken, other: Taken): number =>
  `${one.partition} ${one.row.key}` < `${other.partition} ${other.row.key}` ? -1 : 1;

async function act(
  one: Action,
  side: Side,
  memory: Side & { driver: MemoryDriver },
  at: number,
  hasLanes: boolean,
): Promise<readonly Op[] | TakeRequest | undefined> {
  if ('run' in one)
    return Promise.all(
      withoutRepeats(one.ops).map((each, index) => resolved(each, side, memory, at, index, one.run, hasLanes)),
    );
  if (!('take' in one)) return undefined;
  const holder = `h${at}`;
  if (hasLanes) {
    const leaseMs = one.lease * 1000 + offset(at, opsOfStep);
    return {
      partitions: ['p', 'r'].map((name) => side.prefix + name),
      queues: ['q', 's'],
      max: 100,
      holder,
      leaseMs,
      log: 'l',
    };
  }
  // Leases of rows that are taken together end together: they are not due again.
  const leaseMs = one.max === 1 ? one.lease * 1000 + offset(at, opsOfStep) : 1e9;
  return { partitions: [side.prefix + one.take], queues: [one.queue], max: one.max, holder, leaseMs, log: 'm' };
}

async function resultOf(
  one: Action,
  side: Side,
  memory: Side & { driver: MemoryDriver },
  at: number,
  hasLanes: boolean,
): Promise<unknown> {
  const what = await act(one, side, memory, at, hasLanes);
  if ('run' in one) return shown((await side.driver.run(side.prefix + one.run, what as readonly Op[])) satisfies Ran);
  if ('sweep' in one) return void (await side.driver.sweep(one.sweep));
  const taken = withoutPrefix(await side.driver.take(what as TakeRequest), side.prefix);
  return shown(hasLanes ? taken.toSorted(byKey) : taken);
}

const everything: readonly Op[] = [
  ...['k0', 'k1', 'k2', 'k3', 'k4', 'c0', 'c1', 'c2'].map((each) => ({ op: 'get', key: each }) as const),
  ...['g', 'h', 'i', 'c'].map((each) => ({ op: 'list', group: each, max: 100 }) as const),
  ...['k0', 'k1', 'k2', 'k3', 'k4', 'loose'].flatMap((row) => [
    { op: 'logs', row } as const,
    ...['l', 'm'].map((log) => ({ op: 'entries', row, log, after: 0 }) as const),
  ]),
];

const stateOf = async ({ driver, prefix }: Side): Promise<unknown> =>
  shown([await driver.run(`${prefix}p`, everything), await driver.run(`${prefix}r`, everything)]);

/** Compares random sequences; returns how many steps were compared. Opens the driver once: every sequence has its own partitions. */
export async function expectLikeMemoryDriver(
  open: () => DriverUnderTest | Promise<DriverUnderTest>,
  rounds: number,
): Promise<number> {
  const seed = Number(process.env.TENON_SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 7));
  const { driver, advance, close } = await open();
  let compared = 0;
  let round = 0;
  const property = fc.asyncProperty(sequence, async ({ hasLanes, steps }) => {
    const tested: Side = { driver, prefix: `${++round}:` };
    let { now } = await driver.run(tested.prefix, []);
    const memory = { driver: createMemoryDriver({ now: () => now }), prefix: '' };
    for (const [at, [one, seconds]] of steps.entries()) {
      const found = await resultOf(one, tested, memory, at, hasLanes);
      expect(found, `step ${at}: ${JSON.stringify(one)}`).toEqual(await resultOf(one, memory, memory, at, hasLanes));
      if (at % 4 === 0 || at === steps.length - 1)
        expect(await stateOf(tested), `after step ${at}: ${JSON.stringify(one)}`).toEqual(await stateOf(memory));
      await advance(seconds * 1000);
      now += seconds * 1000;
      compared++;
    }
  });
  try {
    await fc.assert(property, { numRuns: rounds, seed });
  } catch (cause) {
    const file = relative(root, expect.getState().testPath ?? '');
    throw new Error(`${(cause as Error).message}\nTo repeat it: TENON_SEED=${seed} npx vitest run ${file}`, { cause });
  } finally {
    await close();
  }
  return compared;
}
