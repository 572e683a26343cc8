/** The connections of one upstream: each has an owner, and a call gets one of its owner or waits for it. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline } from '../../lib/time/deadlines.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Principal } from '../../ports/principal.ts';
import { SlotShares } from '../../server/ports/slot-shares.ts';
import type { UpstreamConnection } from './connection.ts';
import { type ConnectionUser, isUserOf } from './owner.ts';
import type { Lease, PoolPorts, Purpose } from './pool-ports.ts';
import type { ConnectionRoom, RoomUser } from './room.ts';
import { overloaded, WaitingCalls } from './waiting.ts';

interface Use {
  readonly purpose: Purpose;
  readonly session: string | undefined;
}

interface Entry {
  readonly user: ConnectionUser;
  /** Once it is open. */
  connection: UpstreamConnection | undefined;
  readonly uses: Set<Use>;
  /** Whether it gets no further calls. */
  isRetired: boolean;
  /** Whether it counts for its share: it is opening, or has a call. */
  isCounted: boolean;
  idleSince: number;
  idle: Deadline | undefined;
}

export class ConnectionPool implements RoomUser {
  readonly #ports: PoolPorts;
  readonly #shares: SlotShares;
  /** What is open, and processes that have not ended yet: they cost as much. */
  readonly #places: SlotShares;
  readonly #waiting: WaitingCalls<Lease>;
  /** In the order of their last use. */
  readonly #entries = new Set<Entry>();
  /** The same by their owners: a call that waits looks at those of its own only. */
  readonly #ofOwners = new Map<string, Set<Entry>>();
  #isClosed = false;
  #onDrained: (() => void) | undefined;

  constructor(ports: PoolPorts) {
    this.#ports = ports;
    const { upstream, limits, deadlines } = ports;
    this.#shares = new SlotShares(limits.maxConnections, true);
    this.#places = new SlotShares(2 * limits.maxConnections, true);
    this.#waiting = new WaitingCalls({ upstream, ...limits }, deadlines, (user) => this.#isOpening(user));
    ports.room.add(this);
  }

  get size(): number {
    return this.#entries.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The open connections of an owner. */
  of({ key }: ConnectionUser): UpstreamConnection[] {
    return [...this.#ofOwner(key)].flatMap(({ connection }) => connection ?? []);
  }

  #ofOwner(key: string | undefined): ReadonlySet<Entry> {
    return (key === undefined ? undefined : this.#ofOwners.get(key)) ?? none;
  }

  /** Whose each open connection is, and how many use it. */
  owners(): readonly { readonly principal: Principal | undefined; readonly uses: number }[] {
    return [...this.#entries].flatMap(({ user, connection, uses }) =>
      connection === undefined ? [] : [{ principal: user.principal, uses: uses.size }],
    );
  }

  /** Closes the connections of a principal. */
  async revoke(principal: string, client?: string): Promise<void> {
    const own = [...this.#entries].filter(({ user }) => isUserOf(user, principal, client));
    await Promise.all(own.map((entry) => this.#close(entry)));
  }

  /** Returns no promise if a connection is there. */
  lend(user: ConnectionUser, purpose: Purpose): MaybePromise<Lease> {
    const found = this.#find(user, purpose);
    if (found !== undefined) return this.#use(found, user, purpose);
    if (!this.#isOpening(user) && this.#mayOpen(user)) return this.#open(user, purpose);
    return this.#waiting.add(user, () => {
      const free = this.#find(user, purpose);
      if (free !== undefined) return this.#use(free, user, purpose);
      if (!this.#isOpening(user) && this.#mayOpen(user)) this.#openFor(user);
      return undefined;
    });
  }

  /** A session or connection of a caller has ended. */
  ended(session: string): void {
    for (const entry of this.#entries) {
      entry.connection?.left(session);
      const { user } = entry;
      if (user.isOfSession && user.session === session) this.#retire(entry);
    }
  }

  idleSince(): number | undefined {
    return this.#oldestIdle()?.idleSince;
  }

  closeIdle(): void {
    const oldest = this.#oldestIdle();
    if (oldest !== undefined) this.#close(oldest);
  }

  /** No new connections. Resolves when the calls have ended, or when the time is up. */
  async drain(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#waiting.fail(this.#replaced(), () => true);
    for (const entry of this.#entries) this.#retire(entry);
    if (this.#entries.size > 0)
      await new Promise<void>((resolve) => {
        const deadline = this.#ports.deadlines.add(ms, () => resolve(), false);
        this.#onDrained = (): void => {
          this.#ports.deadlines.cancel(deadline);
          resolve();
        };
      });
    await this.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ports.room.remove(this);
    this.#waiting.fail(this.#replaced(), () => true);
    await Promise.all([...this.#entries].map((entry) => this.#close(entry)));
  }

  #replaced(): TenonError {
    return new TenonError('connection-closed', `The upstream "${this.#ports.upstream}" is not used any more.`, {
      details: { sent: false },
    });
  }

  #isOpening({ key }: ConnectionUser): boolean {
    for (const { connection } of this.#ofOwner(key)) if (connection === undefined) return true;
    return false;
  }

  /** The connection that its session has used before, else the one that was used last. */
  #find(user: ConnectionUser, purpose: Purpose): Entry | undefined {
    let found: Entry | undefined;
    for (const entry of this.#ofOwner(user.key)) {
      if (!this.#isUsable(entry, user, purpose)) continue;
      if (entry.connection?.uses(user.session) === true) return entry;
      found = entry;
    }
    return found;
  }

  #isUsable({ connection, isRetired, uses }: Entry, { session }: ConnectionUser, purpose: Purpose): boolean {
    if (isRetired || connection === undefined || !connection.isReady) return false;
    if (purpose === 'list' || !connection.isExclusive) return true;
    for (const other of uses)
      if (other.purpose === 'call' && (session === undefined || other.session !== session)) return false;
    return true;
  }

  #mayOpen({ key }: ConnectionUser): boolean {
    if (this.#isClosed) throw this.#replaced();
    if (key === undefined) return true;
    let count = 0;
    for (const { isRetired } of this.#ofOwner(key)) if (!isRetired) count++;
    return count < this.#ports.limits.maxConnectionsPerOwner;
  }

  async #open(user: ConnectionUser, purpose: Purpose): Promise<Lease> {
    const entry = this.#add(user);
    const use = { purpose, session: user.session };
    // In use from the beginning: it must not be closed as idle.
    entry.uses.add(use);
    await this.#opening(entry);
    return this.#leaseOf(entry, use, true);
  }

  /** Opens one for those that wait. */
  #openFor(user: ConnectionUser): void {
    const entry = this.#add(user);
    this.#opening(entry).then(
      () => this.#released(entry),
      () => {},
    );
  }

  #add(user: ConnectionUser): Entry {
    const { circuit, room, limits, upstream } = this.#ports;
    const { share } = user;
    if (this.#entries.size >= limits.maxConnections) this.closeIdle();
    this.#count(share);
    try {
      if (!this.#places.take(share))
        throw overloaded(`Processes of the upstream "${upstream}" have not ended yet (maxConnections).`);
      try {
        if (!room.take()) throw roomIsFull(room);
        const refused = circuit.refusal(user.failsAs);
        if (refused === undefined) return this.#added(user);
        room.release();
        throw refused;
      } catch (error) {
        this.#places.release(share);
        throw error;
      }
    } catch (error) {
      this.#shares.release(share);
      room.shares.release(share);
      throw error;
    }
  }

  #added(user: ConnectionUser): Entry {
    const entry: Entry = {
      user,
      connection: undefined,
      uses: new Set(),
      isRetired: false,
      isCounted: true,
      idleSince: 0,
      idle: undefined,
    };
    this.#addLast(entry);
    return entry;
  }

  /** As the one that was used last. */
  #addLast(entry: Entry): void {
    this.#entries.add(entry);
    const { key } = entry.user;
    if (key === undefined) return;
    const own = this.#ofOwners.get(key) ?? new Set();
    own.delete(entry);
    this.#ofOwners.set(key, own.add(entry));
  }

  async #opening(entry: Entry): Promise<void> {
    const { circuit, onOpened, onFailed } = this.#ports;
    const { user } = entry;
    try {
      entry.connection = await this.#ports.open(user, () => this.#remove(entry));
    } catch (error) {
      this.#places.release(user.share);
      circuit.failed(error, user.failsAs);
      onFailed(error);
      this.#remove(entry);
      if (user.key !== undefined) this.#waiting.fail(error, ({ key }) => key === user.key);
      throw error;
    }
    circuit.succeeded(user.failsAs);
    const { ended, changes } = entry.connection;
    void ended.then(() => this.#ended(user));
    changes.onUnused = () => {
      if (entry.uses.size === 0) this.#uncount(entry);
    };
    onOpened(entry.connection, user);
    // The pool was closed meanwhile, or the upstream has closed at once.
    if (!this.#entries.has(entry)) {
      void entry.connection.client.close({ timeoutMs: 1 });
      throw this.#replaced();
    }
    queueMicrotask(() => this.#waiting.retry());
  }

  #use(entry: Entry, { session }: ConnectionUser, purpose: Purpose): Lease {
    this.#stopIdling(entry);
    if (!entry.isCounted) this.#count(entry.user.share);
    entry.isCounted = true;
    const use = { purpose, session };
    entry.uses.add(use);
    return this.#leaseOf(entry, use, false);
  }

  #leaseOf(entry: Entry, use: Use, isFresh: boolean): Lease {
    return {
      connection: entry.connection as UpstreamConnection,
      isFresh,
      release: (isLost = false) => {
        if (!entry.uses.delete(use)) return;
        if (isLost && entry.connection?.isExclusive !== false) entry.isRetired = true;
        this.#released(entry);
      },
    };
  }

  /** Its process or connection has ended, so that its place is free. */
  #ended(user: Entry['user']): void {
    this.#places.release(user.share);
    this.#waiting.retry();
  }

  #released(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    this.#addLast(entry);
    if (entry.uses.size === 0) this.#unused(entry);
    this.#waiting.retry();
  }

  #unused(entry: Entry): void {
    const { user, connection, isRetired } = entry;
    if (isRetired || user.key === undefined || connection?.isReady !== true) return void this.#close(entry);
    // One that is subscribed at stays open: it counts as in use.
    if (!connection.changes.isUsed) this.#uncount(entry);
    entry.idleSince = this.#ports.deadlines.now();
    this.#idle(entry);
  }

  /** Subscriptions keep it open. */
  #idle(entry: Entry): void {
    const { deadlines, limits } = this.#ports;
    entry.idle = deadlines.add(
      limits.idleMs,
      () => {
        if (entry.connection?.changes.isUsed === true) this.#idle(entry);
        else void this.#close(entry);
      },
      false,
    );
  }

  #stopIdling(entry: Entry): void {
    if (entry.idle !== undefined) this.#ports.deadlines.cancel(entry.idle);
    entry.idle = undefined;
  }

  #oldestIdle(): Entry | undefined {
    let oldest: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.isCounted || entry.connection?.changes.isUsed !== false) continue;
      if (oldest === undefined || entry.idleSince < oldest.idleSince) oldest = entry;
    }
    return oldest;
  }

  #retire(entry: Entry): void {
    entry.isRetired = true;
    if (entry.uses.size === 0 && entry.connection !== undefined) void this.#close(entry);
  }

  /** Takes the share of a connection in use. */
  #count(share: string | undefined): void {
    const { room, limits, upstream } = this.#ports;
    if (!this.#shares.take(share))
      throw overloaded(`The upstream "${upstream}" has ${limits.maxConnections} connections (maxConnections).`);
    if (room.shares.take(share)) return;
    this.#shares.release(share);
    throw roomIsFull(room);
  }

  #uncount(entry: Entry): void {
    if (!entry.isCounted) return;
    entry.isCounted = false;
    this.#shares.release(entry.user.share);
    this.#ports.room.shares.release(entry.user.share);
  }

  async #close(entry: Entry): Promise<void> {
    const { connection } = entry;
    if (connection !== undefined) connection.isLeft = true;
    this.#remove(entry);
    await connection?.client.close({ timeoutMs: 1 });
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    const { key = '' } = entry.user;
    const own = this.#ofOwners.get(key);
    own?.delete(entry);
    if (own?.size === 0) this.#ofOwners.delete(key);
    this.#stopIdling(entry);
    this.#uncount(entry);
    this.#ports.room.release();
    if (this.#entries.size === 0) this.#onDrained?.();
    if (!this.#isClosed) queueMicrotask(() => this.#waiting.retry());
  }
}

const none: ReadonlySet<Entry> = new Set();

const roomIsFull = ({ max }: ConnectionRoom): RpcError =>
  overloaded(`The gateway has ${max} connections (limits.maxConnections).`);
