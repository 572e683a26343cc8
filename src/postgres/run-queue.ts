/** Sends runs: those of one partition that would wait for each other's commit are sent together. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Op, Ran, Sync } from '../store/driver.ts';
import { isRefused } from './failures.ts';

export interface Run {
  readonly ops: readonly Op[];
  readonly sync: Sync;
}

interface Waiting extends Run {
  readonly resolve: (ran: Ran) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs in one statement. */
const maxTogether = 64;
/** Runs of one partition that wait. */
const maxWaiting = 4096;

/** In one partition runs are one after the other anyway. Together they need one commit, and one connection. */
export class RunQueue {
  readonly #send: (partition: string, runs: readonly Run[]) => Promise<readonly Ran[]>;
  /** Of partitions with a statement under way. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(send: (partition: string, runs: readonly Run[]) => Promise<readonly Ran[]>) {
    this.#send = send;
  }

  run(partition: string, run: Run): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(partition);
      const added = { ...run, resolve, reject };
      if (waiting === undefined) void this.#drain(partition, [added]);
      else if (waiting.length < maxWaiting) waiting.push(added);
      else reject(tooMany());
    });
  }

  async #drain(partition: string, waiting: Waiting[]): Promise<void> {
    this.#waiting.set(partition, waiting);
    while (waiting.length > 0) await this.#together(partition, waiting.splice(0, maxTogether));
    this.#waiting.delete(partition);
  }

  async #together(partition: string, runs: readonly Waiting[]): Promise<void> {
    try {
      const ran = await this.#send(partition, runs);
      for (const [index, { resolve }] of runs.entries()) resolve(ran[index] as Ran);
    } catch (error) {
      // One that PostgreSQL refuses must not fail the others.
      if (runs.length > 1 && isRefused(error)) for (const run of runs) await this.#together(partition, [run]);
      else for (const { reject } of runs) reject(error);
    }
  }
}

const tooMany = (): TenonError =>
  new TenonError('store-busy', `More than ${maxWaiting} runs wait for one partition.`, {
    hint: 'Look at the load of PostgreSQL.',
  });
