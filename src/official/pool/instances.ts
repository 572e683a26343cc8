/** The instances of a server: one for each session, or for each principal and client where there are no sessions. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { BridgedInstance } from './bridged-instance.ts';

/** The caller of a call, as far as it decides on the instance. */
export interface InstanceOwner {
  /** The session or connection whose end ends the instance. */
  readonly connection: string | undefined;
  /** Names the instance; absent if no two calls may share one. */
  readonly key: string | undefined;
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
  lend(owner: InstanceOwner, open: OpenInstance): MaybePromise<Lease>;
  /** A session or connection has ended. */
  ended(connection: string): void;
}

interface Entry {
  readonly owner: InstanceOwner;
  readonly opening: Promise<BridgedInstance>;
  /** Once it is open. */
  bridged: BridgedInstance | undefined;
  calls: number;
  isEnded: boolean;
  idle: Deadline | undefined;
}

export interface PoolLimits {
  readonly maxInstances: number;
  readonly idleMs: number;
}

export class Instances implements InstancePool {
  readonly #limits: PoolLimits;
  readonly #deadlines: Deadlines;
  /** In the order of their last use. */
  readonly #entries = new Set<Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #byConnection = new Map<string, Set<Entry>>();

  constructor(limits: PoolLimits, deadlines: Deadlines) {
    this.#limits = limits;
    this.#deadlines = deadlines;
  }

  find({ key }: InstanceOwner): BridgedInstance | undefined {
    return key === undefined ? undefined : this.#byKey.get(key)?.bridged;
  }

  lend(owner: InstanceOwner, open: OpenInstance): MaybePromise<Lease> {
    const entry = (owner.key === undefined ? undefined : this.#byKey.get(owner.key)) ?? this.#add(owner, open);
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

  #add(owner: InstanceOwner, open: OpenInstance): Entry {
    this.#makeRoom();
    const remove = (): void => this.#remove(entry);
    const opening = open(remove);
    const entry: Entry = { owner, opening, bridged: undefined, calls: 0, isEnded: false, idle: undefined };
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

  #makeRoom(): void {
    const { maxInstances } = this.#limits;
    if (this.#entries.size < maxInstances) return;
    const unused = [...this.#entries].find(({ calls, owner }) => calls === 0 && owner.connection === undefined);
    if (unused !== undefined) return this.#close(unused);
    throw rpcError('overloaded', `The server has ${maxInstances} instances, and each is in use (maxInstances).`, {
      retryAfterMs: 1000,
    });
  }

  #released(entry: Entry): void {
    entry.calls--;
    const { key, connection } = entry.owner;
    // The last one is the one that was used last.
    if (this.#entries.delete(entry)) this.#entries.add(entry);
    if (entry.calls > 0 || !this.#entries.has(entry)) return;
    if (key === undefined || entry.isEnded) this.#close(entry);
    else if (connection === undefined)
      entry.idle = this.#deadlines.add(this.#limits.idleMs, () => this.#close(entry), false);
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
    this.#entries.delete(entry);
    const { key, connection } = entry.owner;
    if (key !== undefined && this.#byKey.get(key) === entry) this.#byKey.delete(key);
    if (connection === undefined) return;
    const ofConnection = this.#byConnection.get(connection);
    ofConnection?.delete(entry);
    if (ofConnection?.size === 0) this.#byConnection.delete(connection);
  }
}
