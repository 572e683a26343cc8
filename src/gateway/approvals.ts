/** The state of all upstreams against the lock of a gateway, and approving it. */
import type { ComparedServer } from '../host/lock/identity.ts';
import { approve, type LockStatus, lockStatus, type ServerLockStatus } from '../host/lock/status.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Lock, LockedItem } from '../ports/lock.ts';
import type { UpstreamLists } from './connections/upstream-lists.ts';
import type { UpstreamSet } from './upstream-set.ts';

/** An upstream as it is now, or why that is not known. */
interface SeenOrFailed extends ComparedServer {
  readonly lists?: UpstreamLists;
  readonly problem?: Error;
}

export class Approvals {
  readonly #lock: Lock | undefined;
  readonly #set: UpstreamSet;
  readonly #onApproved: () => void;

  constructor(lock: Lock | undefined, set: UpstreamSet, onApproved: () => void) {
    this.#lock = lock;
    this.#set = set;
    this.#onApproved = onApproved;
  }

  async status(): Promise<LockStatus> {
    const lock = this.#needed('lockStatus()');
    const servers = await Promise.all(
      this.#set.list.map(async (upstream): Promise<SeenOrFailed> => {
        const failed = (problem: Error): SeenOrFailed => ({
          server: upstream.name,
          origin: {},
          connected: undefined,
          problem,
        });
        return upstream.seen().catch(failed);
      }),
    );
    return lockStatus<SeenOrFailed>({
      ...this.#ports(lock),
      servers,
      list: async (kind, { lists, problem }) => ({ items: [...(lists?.[kind] ?? [])], problem }),
    });
  }

  approve(status: LockStatus | ServerLockStatus, items?: readonly LockedItem[]): Promise<void> {
    return approve(this.#ports(this.#needed('approve()')), status, items);
  }

  #ports(lock: Lock) {
    return {
      lock: Promise.resolve(lock),
      // All are compared again at the end.
      gate: { outdate() {} },
      recorder: { begin() {}, append() {} },
      onApproved: () => {
        this.#set.compareAgain();
        this.#onApproved();
      },
    };
  }

  #needed(caller: string): Lock {
    if (this.#lock !== undefined) return this.#lock;
    throw new TenonError('invalid-argument', `${caller}: The gateway has no lock.`, {
      hint: "Pass lock: lockFile('gateway.lock') to createGateway().",
    });
  }
}
