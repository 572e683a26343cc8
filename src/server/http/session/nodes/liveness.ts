/** Reports that this node lives, and finds out which others do not. The clock of the store decides. */

import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import type { NodeStore } from '../../../../store/node-store.ts';
import type { Warn } from '../../reporting/warnings.ts';
import { storeCodeOf } from '../session-record.ts';

/** What a node has to do with others. */
export interface NodeFollower {
  /** The nodes that it waits for: those that write what is read here, or notify sessions of this node. */
  followed(): ReadonlySet<string>;
  /** Called after each report, with those of them that are dead. */
  onReport(dead: ReadonlySet<string>): void;
}

export interface LivenessOptions {
  /** The name of this node. */
  readonly node: string;
  readonly nodes: NodeStore;
  /** How long a node may be silent before others declare it dead. */
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  readonly follower: NodeFollower;
  readonly warn: Warn;
}

/** How many times a node reports within the time after which it would be declared dead. */
const reportsPerTimeout = 3;

/**
 * A store that was away for long finds all nodes dead when it is back, until they report again. So a node declares
 * others dead only when all its own reports of the last `timeoutMs` have arrived in time.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  #joined: Promise<void> | 'joined' | undefined;
  #next: Deadline | undefined;
  #isClosed = false;
  /** When the last report was sent that arrived. */
  #reported: number | undefined;
  /** Since when all reports have arrived in time. */
  #steadySince: number | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  /**
   * Reports for the first time, and from then on regularly. A promise until that has arrived: a node that writes before
   * it has reported would be taken for dead.
   */
  join(): Promise<void> | undefined {
    if (this.#joined === 'joined' || this.#isClosed) return undefined;
    this.#joined ??= this.#join();
    return this.#joined;
  }

  /** Reports no more; others need not wait until this node is silent for long. */
  async leave(): Promise<void> {
    const { node, nodes, deadlines } = this.#options;
    this.#isClosed = true;
    if (this.#next !== undefined) deadlines.cancel(this.#next);
    if (this.#joined === 'joined') await nodes.leave(node);
  }

  async #join(): Promise<void> {
    try {
      await this.#report();
      this.#joined = 'joined';
    } catch (cause) {
      this.#joined = undefined;
      throw cause;
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { deadlines, timeoutMs } = this.#options;
    this.#next = deadlines.add(timeoutMs / reportsPerTimeout, () => void this.#reportAgain(), false);
  }

  async #reportAgain(): Promise<void> {
    const { follower, warn } = this.#options;
    // Before the report: a node that is followed from later on may have reported since.
    const followed = follower.followed();
    try {
      const living = await this.#report();
      if (!this.#isClosed) follower.onReport(this.#deadOf(followed, living));
    } catch (cause) {
      if (this.#steadySince !== undefined && !this.#isClosed) warn(notReported(cause));
      this.#steadySince = undefined;
    }
    this.#schedule();
  }

  async #report(): Promise<readonly string[]> {
    const { node, nodes, deadlines, timeoutMs } = this.#options;
    const moment = deadlines.now();
    const living = await nodes.beat(node, timeoutMs);
    const isLate = this.#reported === undefined || moment - this.#reported > timeoutMs / 2;
    if (isLate) this.#steadySince = moment;
    else this.#steadySince ??= moment;
    this.#reported = moment;
    return living;
  }

  #deadOf(followed: ReadonlySet<string>, living: readonly string[]): ReadonlySet<string> {
    const { timeoutMs } = this.#options;
    const { reported, steadySince } = { reported: this.#reported ?? 0, steadySince: this.#steadySince ?? 0 };
    if (reported - steadySince < timeoutMs) return none;
    const alive = new Set(living);
    return new Set([...followed].filter((node) => !alive.has(node)));
  }
}

const none: ReadonlySet<string> = new Set();

const notReported = (cause: unknown): TenonError =>
  new TenonError(storeCodeOf(cause), 'This node could not report that it lives.', {
    hint: 'While it cannot, other nodes may close the streams of its calls as outcome-unknown.',
    cause,
  });
