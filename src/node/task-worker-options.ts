/** The options of `startTaskWorker`. */
import type { Logger } from '../lib/errors/logger.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Rule } from '../lib/options/option-rules.ts';
import type { Store } from '../store/store.ts';
import { storeOrUrl } from './service-store.ts';

/**
 * The options of `startTaskWorker`.
 * @area server
 * @of `startTaskWorker`
 */
export interface TaskWorkerOptions {
  /**
   * Where the tasks are: a store, or a URL such as `sqlite:./tenon.db` or `redis://…`, which `close()` closes.
   * @rule storeOfTasks
   */
  readonly store: Store | string;
  /** Timeouts, in milliseconds. */
  readonly timeouts?: TaskWorkerTimeouts;
  /**
   * Whether SIGTERM and SIGINT close the worker and then exit the process; a second signal exits at once.
   * @default false
   */
  readonly closeOnSignals?: boolean;
  /**
   * Logs the store and warnings. A pino instance fits.
   * @default computed warnings are written to standard error
   * @rule logger
   */
  readonly logger?: Logger;
  /**
   * Called when the store fails in the background. The worker continues.
   * @default computed warnings are written to standard error
   */
  readonly onWarning?: (error: TenonError) => void;
}

/**
 * Timeouts of a worker, in milliseconds.
 * @area server
 */
export interface TaskWorkerTimeouts {
  /**
   * How long an operation of the store may take.
   * @default 2 s
   * @beyond it fails
   * @code store-timeout
   */
  readonly storeMs?: number;
}

export const storeOfTasks: Rule = {
  ...storeOrUrl,
  must: "be the store of the processes that create the tasks, such as 'sqlite:./tenon.db'",
};
