/** Random operations on a store that fails before or after it has carried one out. The test of a driver calls it. */
import * as fc from 'fast-check';
import type { EventLogLimits, Op, Store } from 'tenon/store';
import { expect } from 'vitest';
import { plainCodec } from '../../src/store/codec.ts';
import { createMemoryDriver } from '../../src/store/memory/memory-driver.ts';
import { storeOn } from '../../src/store/parts/parts.ts';
import { type Operation, operationWithin } from './like-memory.ts';

export interface FaultyStore<Fault extends string> {
  /** The store, which a fault may have opened again. */
  store(): Store;
  /** A clock that the store follows. */
  readonly clock: { now(): number; advance(ms: number): void };
  readonly limits: EventLogLimits;
  readonly faults: readonly Fault[];
  /** Makes the next operation fail. */
  arm(fault: Fault): void | Promise<void>;
  /** The fault has passed, whether an operation met it or not: the store works again. */
  recover(): void | Promise<void>;
  /** Whether an operation that met the fault can have been carried out. */
  mayHaveRun(fault: Fault): boolean;
  clear(): Promise<void>;
  readonly rounds: number;
}

interface Step {
  readonly operation: Operation;
  readonly moment: number;
  /** How many of its writes are carried out: what makes room for an event is a write of its own. */
  readonly writes?: number;
}

const isWrite = ({ op }: Op): boolean => op !== 'get' && op !== 'entries' && op !== 'logs' && op !== 'list';

const limits = {
  once: { maxKeys: 1e9, maxChars: 1e9, maxKeysPerOwner: 1e9, maxCharsPerOwner: 1e9 },
  credentials: { maxEntries: 1e9, lockTimeoutMs: 300_000, lockLeaseMs: 30_000 },
  maxConsents: 1e9,
  maxSlots: 1e9,
  maxAuthorizations: 1e9,
};

const stopped = new Error('no more writes');

/** A store in memory that has carried out the given steps, on a clock of its own. */
class Model {
  readonly #steps: Step[] = [];
  readonly #store: Store;
  #moment = 0;
  #writesLeft = Infinity;

  constructor() {
    const now = () => this.#moment;
    const driver = createMemoryDriver({ now });
    const count = () => {
      if (this.#writesLeft-- === 0) throw stopped;
    };
    const counted: typeof driver = {
      ...driver,
      run(partition, ops) {
        if (ops.some(isWrite)) count();
        return driver.run(partition, ops);
      },
      shrinkLogs(maxChars, shares, inUse) {
        count();
        return driver.shrinkLogs?.(maxChars, shares, inUse);
      },
    };
    this.#store = storeOn(counted, { codec: plainCodec, limits, now, onError: () => undefined });
  }

  /** The result; `stopped` if the step needs more writes than it may have. */
  async run(step: Step): Promise<unknown> {
    this.#steps.push(step);
    this.#moment = step.moment;
    this.#store.sessions.deleteExpired();
    this.#writesLeft = step.writes ?? Infinity;
    try {
      return await step.operation.run(this.#store, step.moment);
    } catch (error) {
      if (error === stopped) return stopped;
      throw error;
    } finally {
      this.#writesLeft = Infinity;
    }
  }

  async copy(): Promise<Model> {
    const copied = new Model();
    for (const step of this.#steps) await copied.run(step);
    return copied;
  }

  /** What a step that failed may have made of it: nothing, its first write, the next one too, …, all. */
  async family(step: Step): Promise<Model[]> {
    const members: Model[] = [this];
    for (let writes = 1; ; writes++) {
      const member = await this.copy();
      const result = await member.run({ ...step, writes });
      members.push(member);
      if (result !== stopped) return members;
    }
  }
}

const failed = { failed: true };

/** The result of an operation; a failure must be one of a store, by name. */
async function resultOf(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^store-(failed|timeout|busy)$/) });
    return failed;
  }
}

/** All that can be read at the end: what is left of sessions, streams and runs. */
const observations: readonly Operation[] = ['a', 'b', 'c'].flatMap((key) => [
  { text: `read ${key}`, run: (store: Store) => store.sessions.read(key) },
  ...['1', '2', '3', '4', '5'].map((stream) => ({
    text: `readAfter ${key} ${stream}`,
    run: (store: Store) => store.events.readAfter(key, stream, 0),
  })),
  ...['', 'ada', 'eve'].map((owner) => ({
    text: `begin ${owner} ${key}`,
    run: (store: Store) =>
      store.once?.begin(owner, key === 'a' ? 'k' : 'l', { digest: 'd', holder: 'last', leaseMs: 1000, ttlMs: 3000 }),
  })),
]);

/**
 * After each failure the store is in one of a few states: that before the operation, that after it, or between two of its
 * writes. All are followed as models in memory, until a result shows which it was. Returns how many operations failed.
 */
export async function expectSurvivesFaults<Fault extends string>(test: FaultyStore<Fault>): Promise<number> {
  const { clock, limits, faults, rounds } = test;
  let failures = 0;
  const step = fc.record({
    operation: operationWithin(limits),
    ms: fc.nat({ max: 500 }),
    fault: fc.option(fc.constantFrom(...faults), { nil: undefined, freq: 6 }),
    isRepeated: fc.boolean(),
  });

  /** The models that are possible after an operation; those of one list were one before. */
  async function execute(operation: Operation, fault: Fault | undefined, models: readonly Model[]): Promise<Model[][]> {
    const moment = clock.now();
    const store = test.store();
    store.sessions.deleteExpired();
    if (fault !== undefined) await test.arm(fault);
    const result = await resultOf(() => operation.run(store, moment));
    if (fault !== undefined) await test.recover();
    if (result !== failed) return (await matching(models, { operation, moment }, result)).map((model) => [model]);
    failures++;
    expect(fault, `${operation.text} failed without a fault`).toBeDefined();
    if (fault === undefined || !test.mayHaveRun(fault)) return models.map((model) => [model]);
    const families: Model[][] = [];
    for (const model of models) families.push(await model.family({ operation, moment }));
    return families;
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (sequence) => {
      await test.clear();
      let models: Model[] = [new Model()];
      for (const { operation, ms, fault, isRepeated } of sequence) {
        // Each fault doubles the models that are possible.
        const met = models.length > 8 ? undefined : fault;
        const families = await execute(operation, met, models);
        const isUncertain = families.some(({ length }) => length > 1);
        models = isUncertain && isRepeated ? await repeated(operation, families) : families.flat();
        clock.advance(ms);
      }
      for (const operation of observations) models = (await execute(operation, undefined, models)).flat();
    }),
    { numRuns: rounds },
  );
  return failures;

  /** A caller that got no answer repeats an operation where the contract allows it, and gets the same result either way. */
  async function repeated(operation: Operation, families: readonly Model[][]): Promise<Model[]> {
    if (operation.isRepeatable !== true) return families.flat();
    const moment = clock.now();
    for (const family of families) {
      const results: unknown[] = [];
      for (const model of family) results.push(await (await model.copy()).run({ operation, moment }));
      for (const result of results) expect([operation.text, result]).toEqual([operation.text, results[0]]);
    }
    return (await execute(operation, undefined, families.flat())).flat();
  }
}

/** The models in which a step has the same result. */
async function matching(models: readonly Model[], step: Step, result: unknown): Promise<Model[]> {
  const found: Model[] = [];
  const wanted: unknown[] = [];
  for (const model of models) {
    const expected = await model.run(step);
    if (isEqual(expected, result)) found.push(model);
    else wanted.push(expected);
  }
  expect(
    found.length,
    `${step.operation.text}: ${JSON.stringify(result)} is not in ${JSON.stringify(wanted)}`,
  ).not.toBe(0);
  return found;
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
