/** The stores of a run and what can go wrong with them: a server behind a cutter, or a SQLite file. */
import { sqliteOf } from '../../../../src/sqlite/database.ts';
import { type EngineName, engines, type StartedEngine, type StoreServer } from '../../../kit/stores/engines.ts';
import type { StoreFaultKind } from '../schedule.ts';
import { startCutter } from './cutter.ts';

export interface FaultyStore {
  /** What a node gets as its store. */
  readonly url: string;
  begin(fault: StoreFaultKind): Promise<void>;
  /** Ends the fault that has begun. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function openFaultyStore(name: EngineName): Promise<FaultyStore> {
  const started = await engines[name].start();
  return started.server === undefined ? fileWithFaults(started) : serverWithFaults(started, started.server);
}

async function serverWithFaults(started: StartedEngine, server: StoreServer): Promise<FaultyStore> {
  const { port } = new URL(server.url);
  const cutter = await startCutter(Number(port));
  let repair = async (): Promise<void> => {};
  return {
    url: server.url.replace(`:${port}`, `:${cutter.port}`),
    async begin(fault) {
      if (fault === 'killed') {
        await server.kill();
        repair = () => server.start();
        return;
      }
      if (fault === 'stalled') cutter.stall();
      else cutter.cut();
      repair = async () => cutter.heal();
    },
    async end() {
      await repair();
      repair = async () => {};
    },
    async close() {
      await cutter.close();
      await started.close();
    },
  };
}

function fileWithFaults(started: StartedEngine): FaultyStore {
  const { url } = started.next();
  let release = (): void => {};
  return {
    url,
    async begin() {
      const database = new (sqliteOf())(url.replace('sqlite:', ''));
      database.exec('PRAGMA busy_timeout = 5000');
      database.exec('BEGIN IMMEDIATE');
      release = () => {
        database.exec('ROLLBACK');
        database.close();
        release = () => {};
      };
    },
    end: async () => release(),
    async close() {
      release();
      await started.close();
    },
  };
}
