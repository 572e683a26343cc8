/** The instances of a server: one for each session, or for each principal and client where there are no sessions. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { rpcError } from '../../protocol/errors.ts';
import { SlotShares } from '../../server/ports/slot-shares.ts';
import type { BridgedInstance } from './bridged-instance.ts';

/** The caller of a call, as far as it decides on the instance. */
export interface InstanceOwner {
  /** The session or connection whose end ends the instance. */
  readonly connection: string | undefined;
  /** Names the instance; absent if no two calls may share one. */
  readonly key: string | undefined;
}

/** A caller that uses an instance. */
export interface InstanceUser extends InstanceOwner {
  /** Whose share of the instances it counts for. */
  readonly share: string | undefined;
}

/** The use of an instance by one call. */
export interface Lease {
  readonly bridged: BridgedInstance;
  release(): void;
}

/** `onClose` is called when it has closed. */
export type OpenInstance = (onClose: () => void) => Promise<BridgedInstance>;

/** Lends instances to calls. */
export interface InstancePool {
  /** The open instance of an owner, if there is one. */
  find(owner: InstanceOwner): BridgedInstance | undefined;
  /** Returns no promise if the instance is open. */
  lend(user: InstanceUser, open: OpenInstance): MaybePromise<Lease>;
  /** A session or connection has ended. */
  ended(connection: string): void;
}

interface Entry {
  readonly owner: InstanceUser;
  readonly opening: Promise<BridgedInstance>;
  /** Once it is open. */
  bridged: BridgedInstance | undefined;
  calls: number;
  isEnded: boolean;
  /** Whether it counts for its share: it has a call or a session. */
  isCounted: boolean;
  idle: Deadline | undefined;
}

export interface PoolLimits {
  readonly maxInstances: number;
  readonly idleMs: number;
}

export class Instances implements InstancePool {
  readonly #limits: PoolLimits;
  readonly #deadlines: Deadlines;
  readonly #used: SlotShares;
  /** In the order of their last use. */
  readonly #entries = new Set<Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #byConnection = new Map<string, Set<Entry>>();

  constructor(limits: PoolLimits, deadlines: Deadlines) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#used = new SlotShares(limits.maxInstances, true);
  }

  find({ key }: InstanceOwner): BridgedInstance | undefined {
    return key === undefined ? undefined : this.#byKey.get(key)?.bridged;
  }

  lend(user: InstanceUser, open: OpenInstance): MaybePromise<Lease> {
    const known = user.key === undefined ? undefined : this.#byKey.get(user.key);
    if (known?.isCounted !== true && !this.#used.take(user.share)) throw this.#tooMany();
    const entry = known ?? this.#add(user, open);
    entry.isCounted = true;
    entry.calls++;
    this.#stopIdling(entry);
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.#released(entry);
      isReleased = true;
    };
    if (entry.bridged !== undefined) return { bridged: entry.bridged, release };
    return entry.opening.then(
      (bridged) => ({ bridged, release }),
      (error: unknown) => {
        release();
        throw error;
      },
    );
  }

  ended(connection: string): void {
    for (const entry of this.#byConnection.get(connection) ?? []) {
      entry.isEnded = true;
      if (entry.calls === 0) this.#close(entry);
    }
  }

  #add(owner: InstanceUser, open: OpenInstance): Entry {
    if (this.#entries.size >= this.#limits.maxInstances) this.#closeIdle(owner);
    const remove = (): void => this.#remove(entry);
    const opening = open(remove);
    const entry: Entry = {
      owner,
      opening,
      bridged: undefined,
      calls: 0,
      isEnded: false,
      isCounted: true,
      idle: undefined,
    };
    // One that cannot be opened is not used again.
    opening.then((bridged) => (entry.bridged = bridged), remove);
    this.#entries.add(entry);
    const { key, connection } = owner;
    if (key !== undefined) this.#byKey.set(key, entry);
    if (connection === undefined) return entry;
    const ofConnection = this.#byConnection.get(connection) ?? new Set();
    this.#byConnection.set(connection, ofConnection.add(entry));
    return entry;
  }

  /** There is one that is idle: those that are not count for a share. The caller's own goes before those of others. */
  #closeIdle({ share }: InstanceUser): void {
    const idle = [...this.#entries].filter(({ isCounted }) => !isCounted);
    const oldest = idle.find(({ owner }) => owner.share === share) ?? idle[0];
    if (oldest !== undefined) this.#close(oldest);
  }

  #tooMany(): RpcError {
    const { maxInstances } = this.#limits;
    const text = `The server has ${maxInstances} instances, and no caller may use more of them than it leaves to others (maxInstances).`;
    return rpcError('overloaded', text, { retryAfterMs: 1000 });
  }

  #uncount(entry: Entry): void {
    if (entry.isCounted) this.#used.release(entry.owner.share);
    entry.isCounted = false;
  }

  #released(entry: Entry): void {
    entry.calls--;
    const { key, connection } = entry.owner;
    // The last one is the one that was used last.
    if (this.#entries.delete(entry)) this.#entries.add(entry);
    if (entry.calls > 0 || !this.#entries.has(entry)) return;
    if (key === undefined || entry.isEnded) this.#close(entry);
    else if (connection === undefined) {
      this.#uncount(entry);
      entry.idle = this.#deadlines.add(this.#limits.idleMs, () => this.#close(entry), false);
    }
  }

  #stopIdling(entry: Entry): void {
    if (entry.idle !== undefined) this.#deadlines.cancel(entry.idle);
    entry.idle = undefined;
  }

  #close(entry: Entry): void {
    this.#remove(entry);
    entry.opening.then(
      ({ instance }) => instance.close(),
      () => {},
    );
  }

  #remove(entry: Entry): void {
    this.#stopIdling(entry);
    this.#uncount(entry);
    this.#entries.delete(entry);
    const { key, connection } = entry.owner;
    if (key !== undefined && this.#byKey.get(key) === entry) this.#byKey.delete(key);
    if (connection === undefined) return;
    const ofConnection = this.#byConnection.get(connection);
    ofConnection?.delete(entry);
    if (ofConnection?.size === 0) this.#byConnection.delete(connection);
  }
}
