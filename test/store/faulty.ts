/** Random operations on a store that fails before or after it has carried one out. The test of a driver calls it. */
import * as fc from 'fast-check';
import { createMemoryStore, type EventLogLimits, type Store } from 'tenon/store';
import { expect } from 'vitest';
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
}

/** A store in memory that has carried out the given steps, on a clock of its own. */
class Model {
  readonly #steps: Step[] = [];
  readonly #store: Store;
  #moment = 0;

  constructor() {
    this.#store = createMemoryStore({ now: () => this.#moment });
  }

  async run(step: Step): Promise<unknown> {
    this.#steps.push(step);
    this.#moment = step.moment;
    this.#store.sessions.deleteExpired();
    return step.operation.run(this.#store, step.moment);
  }

  async copy(): Promise<Model> {
    const copied = new Model();
    for (const step of this.#steps) await copied.run(step);
    return copied;
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
 * After each failure the store is in one of two states: that before the operation, or that after it. Both are followed as
 * models in memory, until a result shows which it was. Returns how many operations failed.
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

  async function execute(operation: Operation, fault: Fault | undefined, models: readonly Model[]): Promise<Model[]> {
    const moment = clock.now();
    const store = test.store();
    store.sessions.deleteExpired();
    if (fault !== undefined) await test.arm(fault);
    const result = await resultOf(() => operation.run(store, moment));
    if (fault !== undefined) await test.recover();
    if (result !== failed) return matching(models, { operation, moment }, result);
    failures++;
    expect(fault, `${operation.text} failed without a fault`).toBeDefined();
    if (fault === undefined || !test.mayHaveRun(fault)) return [...models];
    const after = await Promise.all(models.map((model) => model.copy()));
    for (const model of after) await model.run({ operation, moment });
    return [...models, ...after];
  }

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (sequence) => {
      await test.clear();
      let models: Model[] = [new Model()];
      for (const { operation, ms, fault, isRepeated } of sequence) {
        // Each fault doubles the models that are possible.
        const met = models.length > 8 ? undefined : fault;
        const before = models.length;
        models = await execute(operation, met, models);
        if (models.length > before && isRepeated) models = await repeated(operation, models);
        clock.advance(ms);
      }
      for (const operation of observations) models = await execute(operation, undefined, models);
    }),
    { numRuns: rounds },
  );
  return failures;

  /** A caller that got no answer repeats an operation where the contract allows it, and gets the same result either way. */
  async function repeated(operation: Operation, models: Model[]): Promise<Model[]> {
    if (operation.isRepeatable !== true) return models;
    const moment = clock.now();
    const copies = await Promise.all(models.map((model) => model.copy()));
    const half = models.length / 2;
    const results = [];
    for (const copy of copies) results.push(await copy.run({ operation, moment }));
    // The models are in pairs: without the operation, and with it.
    for (let n = 0; n < half; n++) expect([operation.text, results[n + half]]).toEqual([operation.text, results[n]]);
    return execute(operation, undefined, models);
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
