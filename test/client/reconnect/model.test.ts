/** Whatever happens to a client in whatever order, its life goes by the table and every call comes to one end. */
import type { ProtocolVersion } from 'tenon';
import { expect, it } from 'vitest';
import { table } from '../../../src/client/reconnect/table.ts';
import { createChance } from './random.ts';
import { Schedule } from './schedule.ts';

const steps = 40_000;
/** Not by a schedule: `lost` takes a client that does not reconnect; `settled` and `served` are no change of state. */
const unvisited: ReadonlySet<string> = new Set(['lost', 'settled', 'served']);

const legal = Object.entries(table).flatMap(([state, events]) =>
  Object.keys(events).flatMap((event) => (unvisited.has(event) ? [] : `${state} ${event}`)),
);

it.each<ProtocolVersion>(['2026-07-28', '2025-11-25', '2024-11-05'])(
  'at %s no schedule of 40,000 steps leads off the table, loses a call or sends one twice [S27, S28]',
  async (revision) => {
    const visited = new Map<string, number>();
    let made = 0;
    for (let seed = 1; made < steps; seed++) {
      const chance = createChance(seed);
      const schedule = new Schedule(revision, chance, visited);
      made += await schedule.run(1 + chance.below(200));
      expect(schedule.ledger.complaints, `seed ${seed} at ${revision}`).toEqual([]);
    }
    expect([...visited.keys()].sort()).toEqual(legal.sort());
  },
);
