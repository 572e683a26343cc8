/** Calls that wait for a connection, in their order: each for so long, and not more than there is room for. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { SlotShares } from '../../server/ports/slot-shares.ts';
import type { ConnectionUser } from './owner.ts';

export interface WaitingLimits {
  readonly upstream: string;
  readonly maxWaiting: number;
  readonly queueMs: number;
}

interface Waiting<T> {
  readonly user: ConnectionUser;
  /** What it waits for, if that is there now. */
  readonly attempt: () => T | undefined;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
  deadline: Deadline;
}

export class WaitingCalls<T> {
  readonly #limits: WaitingLimits;
  readonly #deadlines: Deadlines;
  readonly #room: SlotShares;
  readonly #waiting = new Set<Waiting<T>>();
  /** Whether the time of a caller does not run: a connection for it is being opened, which has a limit of its own. */
  readonly #isOpening: (user: ConnectionUser) => boolean;

  constructor(limits: WaitingLimits, deadlines: Deadlines, isOpening: (user: ConnectionUser) => boolean) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#room = new SlotShares(limits.maxWaiting, true);
    this.#isOpening = isOpening;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with what `attempt` returns once that is something. */
  add(user: ConnectionUser, attempt: () => T | undefined): Promise<T> {
    if (!this.#room.take(user.share)) return Promise.reject(this.#overloaded());
    return new Promise((resolve, reject) => {
      const expire = (): void => {
        if (this.#isOpening(user)) waiting.deadline = this.#deadlines.add(this.#limits.queueMs, expire);
        else if (this.#remove(waiting)) reject(this.#overloaded());
      };
      const deadline = this.#deadlines.add(this.#limits.queueMs, expire);
      const waiting: Waiting<T> = { user, attempt, resolve, reject, deadline };
      this.#waiting.add(waiting);
    });
  }

  /** Something has changed: each tries again, in order. */
  retry(): void {
    for (const waiting of this.#waiting) {
      try {
        const found = waiting.attempt();
        if (found !== undefined && this.#remove(waiting)) waiting.resolve(found);
      } catch (error) {
        if (this.#remove(waiting)) waiting.reject(error);
      }
    }
  }

  /** What some of them wait for has failed. */
  fail(error: unknown, isConcerned: (user: ConnectionUser) => boolean): void {
    for (const waiting of this.#waiting) if (isConcerned(waiting.user) && this.#remove(waiting)) waiting.reject(error);
  }

  #remove(waiting: Waiting<T>): boolean {
    if (!this.#waiting.delete(waiting)) return false;
    this.#deadlines.cancel(waiting.deadline);
    this.#room.release(waiting.user.share);
    return true;
  }

  #overloaded(): RpcError {
    const { upstream } = this.#limits;
    return overloaded(`All connections to the upstream "${upstream}" are in use.`);
  }
}

/** The call has not begun: it may be sent again. */
export const overloaded = (text: string): RpcError =>
  rpcError('overloaded', text, { ...notStartedData, retryAfterMs: 1000 });
