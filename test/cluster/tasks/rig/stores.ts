/** The stores of the matrix: an empty one for each run, and a server of them that can be killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineName, engines } from '../../../kit/stores/engines.ts';
import type { StoreAddress } from '../../../kit/stores/open-at.ts';

export interface RunStore {
  readonly store: StoreAddress;
  /** A file for the memory of clients. */
  readonly memory: string;
}

export interface Stores {
  /** An empty store for one run. */
  next(): RunStore;
  /** Kills the server of the stores and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openStores(name: EngineName): Promise<Stores> {
  const started = await engines[name].start();
  const { server } = started;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-tasks-'));
  let runs = 0;
  return {
    next: () => ({ store: started.next(), memory: join(folder, `run${++runs}.json`) }),
    async restart() {
      if (server === undefined) throw new Error('A file cannot be killed.');
      await server.kill();
      await server.start();
    },
    async close() {
      await started.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
