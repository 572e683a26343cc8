/** Random operations on a store have the results that they have on one in memory. The test of a driver calls it. */
import * as fc from 'fast-check';
import { createMemoryStore, type EventLogLimits, type Store } from 'tenon/store';
import { expect } from 'vitest';

const session = fc.constantFrom('a', 'b', 'c');
const stream = fc.constantFrom('1', '2', '3', '4', '5');
const note = fc.option(fc.string({ minLength: 1 }), { nil: undefined });
const node = fc.constantFrom('n', 'o', 'p');

const owner = fc.constantFrom('', 'ada', 'eve');
const runKey = fc.constantFrom('k', 'l');
const holder = fc.constantFrom('h1', 'h2', 'h3');
const longText = fc.option(fc.string({ maxLength: 20 }), { nil: undefined });

export interface Operation {
  readonly text: string;
  readonly run: (store: Store, now: number) => unknown;
  /** Whether the contract lets a caller that got no answer repeat it: the result is the same as if it had not run before. */
  readonly isRepeatable?: boolean;
}

const runBy = (holder: string) => ({ digest: 'd', holder, leaseMs: 1000, ttlMs: 3000 });

const onceOperations: readonly fc.Arbitrary<Operation>[] = [
  fc.tuple(owner, runKey, fc.constantFrom('d', 'e'), holder).map(([of, key, digest, by]) => ({
    text: `begin ${of} ${key} ${digest} ${by}`,
    run: (store: Store) => store.once?.begin(of, key, { ...runBy(by), digest }),
    isRepeatable: true,
  })),
  fc.tuple(owner, runKey, holder, longText).map(([of, key, by, text]) => ({
    text: `end run ${of} ${key} ${by} ${text}`,
    run: (store: Store) => store.once?.end(of, key, runBy(by), text),
    isRepeatable: true,
  })),
  fc.tuple(owner, runKey, holder).map(([of, key, by]) => ({
    text: `renew ${of} ${key} ${by}`,
    run: (store: Store) => store.once?.renew(of, key, runBy(by)),
    isRepeatable: true,
  })),
  fc.tuple(owner, runKey, holder).map(([of, key, by]) => ({
    text: `release ${of} ${key} ${by}`,
    run: (store: Store) => store.once?.release(of, key, runBy(by)),
  })),
  fc.tuple(runKey, fc.nat({ max: 3000 })).map(([key, ttl]) => ({
    text: `burn ${key} ${ttl}`,
    run: (store: Store, now: number) => store.once?.burn(key, now + ttl),
  })),
];

export const operationWithin = (limits: EventLogLimits): fc.Arbitrary<Operation> =>
  fc.oneof(
    ...onceOperations.map((arbitrary) => ({ weight: 2, arbitrary })),
    {
      weight: 8,
      arbitrary: fc
        .tuple(session, stream, fc.nat({ max: 1200 }), fc.boolean(), note)
        .map(([key, name, size, isAwaited, noted]) => ({
          text: `append ${key} ${name} ${size} ${isAwaited} ${noted}`,
          run: (store: Store) => store.events.append(key, name, 'x'.repeat(size), { ...limits, isAwaited }, noted),
        })),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(session, stream, fc.nat({ max: 1200 }), fc.boolean(), fc.integer({ min: 1, max: 4 }))
        .map(([key, name, size, isAwaited, at]) => ({
          text: `append ${key} ${name} ${size} ${isAwaited} at ${at}`,
          isRepeatable: true,
          run: (store: Store) =>
            store.events.append(key, name, 'x'.repeat(size), { ...limits, isAwaited }, undefined, at),
        })),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(session, stream, fc.nat({ max: 6 })).map(([key, name, n]) => ({
        text: `readAfter ${key} ${name} ${n}`,
        run: (store: Store) => store.events.readAfter(key, name, n),
      })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(session, stream).map(([key, name]) => ({
        text: `end ${key} ${name}`,
        run: (store: Store) => store.events.end(key, name),
      })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          session,
          stream,
          fc.array(fc.nat({ max: 1200 }), { maxLength: 3 }),
          fc.boolean(),
          fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        )
        .map(([key, name, sizes, isAwaited, at]) => ({
          text: `end ${key} ${name} ${sizes} ${isAwaited} at ${at}`,
          run(store: Store) {
            const events = sizes.map((size) => 'x'.repeat(size));
            return store.events.end(key, name, { events, limits: { ...limits, isAwaited } }, at);
          },
        })),
    },
    fc.tuple(node, fc.integer({ min: 1, max: 2000 })).map(([name, ms]) => ({
      text: `beat ${name} ${ms}`,
      isRepeatable: true,
      run: async (store: Store) => [...((await store.nodes?.beat(name, ms)) ?? [])].sort(),
    })),
    node.map((name) => ({ text: `leave ${name}`, run: (store: Store) => store.nodes?.leave(name) })),
    fc
      .tuple(session, fc.dictionary(fc.string({ maxLength: 4 }), fc.string()), fc.nat({ max: 3000 }))
      .map(([key, fields, ttl]) => ({
        text: `create ${key} ${JSON.stringify(fields)} ${ttl}`,
        isRepeatable: true,
        run: (store: Store, now: number) => store.sessions.create(key, fields, now + ttl),
      })),
    fc
      .tuple(session, fc.dictionary(fc.string({ maxLength: 4 }), fc.option(fc.string(), { nil: undefined })))
      .map(([key, fields]) => ({
        text: `update ${key} ${JSON.stringify(fields)}`,
        isRepeatable: true,
        run: (store: Store) => store.sessions.update(key, fields),
      })),
    session.map((key) => ({ text: `read ${key}`, run: (store: Store) => store.sessions.read(key) })),
    session.map((key) => ({ text: `delete ${key}`, run: (store: Store) => store.sessions.delete(key) })),
    fc.constant({ text: 'deleteExpired', run: (store: Store) => store.sessions.deleteExpired() }),
  );

export interface StoreLikeMemory {
  readonly store: Store;
  /** A clock that the store and the one in memory follow. */
  readonly clock: { now(): number; advance(ms: number): void };
  readonly limits: EventLogLimits;
  /** Empties the store. */
  clear(): Promise<void>;
  readonly rounds: number;
}

export async function expectLikeMemory({ store, clock, limits, clear, rounds }: StoreLikeMemory): Promise<number> {
  let compared = 0;
  const operation = operationWithin(limits);
  const steps = fc.array(fc.tuple(operation, fc.nat({ max: 500 })), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      await clear();
      const memory = createMemoryStore({ now: clock.now });
      for (const [{ run, text }, ms] of sequence) {
        const moment = clock.now();
        // Until it is deleted, what has expired may exist or not.
        memory.sessions.deleteExpired();
        store.sessions.deleteExpired();
        expect([text, await run(store, moment)]).toEqual([text, await run(memory, moment)]);
        clock.advance(ms);
        compared++;
      }
    }),
    { numRuns: rounds },
  );
  return compared;
}
