/** Under events in random order, the connection follows its state table and every call has one outcome. */
import type { ProtocolVersion } from 'tenon';
import { expect, it } from 'vitest';
import { table } from '../../../src/client/reconnect/table.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { repeatCommand } from '../../kit/repeat-command.ts';
import { createRandom } from './random.ts';
import { Schedule } from './schedule.ts';

const steps = scaled(40_000, 200_000);
/** With `TENON_SEED`, this one alone. */
const given = process.env.TENON_SEED;
/** Events that no schedule causes: `lost` needs a client without reconnect; `stable` and `answered` change no state. */
const unvisited: ReadonlySet<string> = new Set(['lost', 'stable', 'answered']);

const allowed = Object.entries(table).flatMap(([state, events]) =>
  Object.keys(events).flatMap((event) => (unvisited.has(event) ? [] : `${state} ${event}`)),
);

it.each<ProtocolVersion>(['2026-07-28', '2025-11-25', '2024-11-05'])(
  `at %s no schedule of ${inWords(steps)} steps leaves the state table, loses a call or sends one twice [S27, S28]`,
  async (revision) => {
    const visited = new Map<string, number>();
    let stepsDone = 0;
    for (let seed = Number(given ?? 1); stepsDone < steps; seed++) {
      const random = createRandom(seed);
      const schedule = new Schedule(revision, random, visited);
      stepsDone += await schedule.run(1 + random.below(200));
      expect(schedule.ledger.complaints, `${repeatCommand('TENON_SEED', seed)}\n`).toEqual([]);
      if (given !== undefined) return;
    }
    expect([...visited.keys()].sort()).toEqual(allowed.sort());
  },
);
