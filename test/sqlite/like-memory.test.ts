/** Random operations on a store in a SQLite file have the results that they have on one in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore, type Store } from 'tenon/store';
import { expect, it } from 'vitest';
import { drivers } from './fixtures/drivers.ts';

const session = fc.constantFrom('a', 'b', 'c');
const stream = fc.constantFrom('1', '2', '3', '4', '5');
const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 5000, maxStreams: 3 };

type Operation = (store: Store, now: number) => unknown;

const operation: fc.Arbitrary<{ readonly text: string; readonly run: Operation }> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(session, stream, fc.nat({ max: 1200 }), fc.boolean()).map(([key, name, size, isAwaited]) => ({
      text: `append ${key} ${name} ${size} ${isAwaited}`,
      run: (store: Store) => store.events.append(key, name, 'x'.repeat(size), { ...limits, isAwaited }),
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
  fc
    .tuple(session, fc.dictionary(fc.string({ maxLength: 4 }), fc.string()), fc.nat({ max: 3000 }))
    .map(([key, fields, ttl]) => ({
      text: `create ${key} ${JSON.stringify(fields)} ${ttl}`,
      run: (store: Store, now: number) => store.sessions.create(key, fields, now + ttl),
    })),
  fc
    .tuple(session, fc.dictionary(fc.string({ maxLength: 4 }), fc.option(fc.string(), { nil: undefined })))
    .map(([key, fields]) => ({
      text: `update ${key} ${JSON.stringify(fields)}`,
      run: (store: Store) => store.sessions.update(key, fields),
    })),
  session.map((key) => ({ text: `read ${key}`, run: (store: Store) => store.sessions.read(key) })),
  session.map((key) => ({ text: `delete ${key}`, run: (store: Store) => store.sessions.delete(key) })),
  fc.constant({ text: 'deleteExpired', run: (store: Store) => store.sessions.deleteExpired() }),
);

const rounds = process.env.TENON_LONG === undefined ? 40 : 2000;

it.each(drivers)('by %s has the results of a store in memory for every sequence of operations', async (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  let moment = 1_000_000;
  const now = () => moment;
  const sqlite = await openSqliteStore(join(folder, 'store.db'), { now, driver });
  const steps = fc.array(fc.tuple(operation, fc.nat({ max: 500 })), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      await sqlite.clear();
      const memory = createMemoryStore({ now });
      for (const [{ run, text }, ms] of sequence) {
        expect(await run(sqlite, moment), text).toEqual(await run(memory, moment));
        moment += ms;
      }
    }),
    { numRuns: rounds },
  );
  await sqlite.close();
  rmSync(folder, { recursive: true });
});
