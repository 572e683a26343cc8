/** Runs scenarios side by side: each lane has a folder of SQLite files, a Redis and a PostgreSQL of its own, which a run may kill. */
import type { EngineName } from '../../kit/stores/engines.ts';
import { startForks } from './rig/forks.ts';
import { openStores, type Stores } from './rig/stores.ts';
import { type Outcome, type Rig, runTask, type Scenario } from './run.ts';

/** A scenario without its lease, which depends on the machine. */
export type Planned = Omit<Scenario, 'leaseMs'>;

export interface Lanes {
  /** Waits for a free lane. */
  run(store: EngineName, scenario: Planned): Promise<Outcome>;
  close(): Promise<void>;
}

const shortLeaseMs = 400;
const longLeaseMs = 4000;

/** A server, a worker, a client, and the one that takes the place of another. */
const processesOfRun = 4;

export function openLanes(program: string, count: number): Lanes {
  const forks = startForks(program, count * processesOfRun);
  const opened: Promise<Stores>[] = [];
  const free: Map<EngineName, Promise<Stores>>[] = Array.from({ length: count }, () => new Map());
  const waiting: (() => void)[] = [];
  let cleanMs = 0;

  /** A clean run shows how fast the machine is: where it is busy, workers would lose tasks by a short lease alone. */
  async function measured(rig: Rig, scenario: Planned): Promise<Outcome> {
    const begun = Date.now();
    const isClean = scenario.fault === undefined;
    const leaseMs = isClean ? longLeaseMs : Math.min(Math.max(shortLeaseMs, cleanMs / 4), longLeaseMs);
    const outcome = await runTask(rig, { ...scenario, leaseMs });
    if (isClean) cleanMs = Math.max(cleanMs, Date.now() - begun);
    return outcome;
  }

  function storesOf(lane: Map<EngineName, Promise<Stores>>, kind: EngineName): Promise<Stores> {
    const known = lane.get(kind);
    if (known !== undefined) return known;
    const stores = openStores(kind);
    opened.push(stores);
    lane.set(kind, stores);
    return stores;
  }

  return {
    async run(store, scenario) {
      let lane = free.pop();
      while (lane === undefined) {
        await new Promise<void>((resolve) => void waiting.push(resolve));
        lane = free.pop();
      }
      try {
        return await measured({ forks, stores: await storesOf(lane, store) }, scenario);
      } finally {
        free.push(lane);
        waiting.shift()?.();
      }
    },
    async close() {
      await forks.close();
      for (const stores of await Promise.all(opened)) await stores.close();
    },
  };
}
