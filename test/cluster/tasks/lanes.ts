/** Runs scenarios side by side: each lane has a folder of SQLite files and a Redis of its own, which a run may kill. */
import { startForks } from './rig/forks.ts';
import { openStores, type StoreKind, type Stores } from './rig/stores.ts';
import { type Outcome, runTask, type Scenario } from './run.ts';

export interface Lanes {
  /** Waits for a free lane. */
  run(store: StoreKind, scenario: Scenario): Promise<Outcome>;
  close(): Promise<void>;
}

/** A server, a worker, a client, and the one that takes the place of another. */
const processesOfRun = 4;

export function openLanes(program: string, count: number): Lanes {
  const forks = startForks(program, count * processesOfRun);
  const opened: Promise<Stores>[] = [];
  const free: Map<StoreKind, Promise<Stores>>[] = Array.from({ length: count }, () => new Map());
  const waiting: (() => void)[] = [];

  function storesOf(lane: Map<StoreKind, Promise<Stores>>, kind: StoreKind): Promise<Stores> {
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
        return await runTask({ forks, stores: await storesOf(lane, store) }, scenario);
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
