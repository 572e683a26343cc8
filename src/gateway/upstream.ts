/** One upstream of a gateway: its connections, the lists of each owner, and the calls that wait for their callers. */
import type { Client } from '../client/api/client.ts';
import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ParkedCalls } from '../forwarding/parked-calls.ts';
import type { ServerOrigin } from '../host/servers/config.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { withDefaults } from '../lib/options/read-options.ts';
import { escapeControls } from '../lib/text/control-characters.ts';
import { type MaybePromise, mapped } from '../lib/values/maybe-promise.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import { featuresOf } from './calls/features.ts';
import type { ForwardPorts } from './calls/forward-ports.ts';
import type { HeldRound } from './calls/held-round.ts';
import { UpstreamTasks } from './calls/upstream-tasks.ts';
import { type Catalogue, catalogueOf, EqualCatalogues, type UpstreamFeatures } from './catalogue/catalogue.ts';
import { type Naming, servedPart, shownNames } from './catalogue/naming.ts';
import { OwnerLists } from './catalogue/owner-lists.ts';
import { Circuit } from './connections/circuit.ts';
import type { UpstreamConnection } from './connections/connection.ts';
import { named, OpenFailure, openConnection } from './connections/open-connection.ts';
import { type ConnectionUser, userOf } from './connections/owner.ts';
import { ConnectionPool } from './connections/pool.ts';
import type { Lease, Purpose } from './connections/pool-ports.ts';
import { Reopening } from './connections/reopening.ts';
import { tracedFor } from './connections/traced.ts';
import { ListReader } from './connections/upstream-lists.ts';
import { type SeenUpstream, UpstreamLock } from './connections/upstream-lock.ts';
import { upstreamLimits } from './options.table.ts';
import type { GatewayConnection, UpstreamLimits, UpstreamOptions, UpstreamStatus } from './types.ts';
import type { UpstreamEntry, UpstreamPorts } from './upstream-ports.ts';

export class Upstream implements UpstreamEntry {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly naming: Naming;
  readonly generation: number;
  readonly isOnly: boolean;
  readonly parked: ParkedCalls<ForwardedCall>;
  readonly held: ParkedCalls<HeldRound>;
  readonly #ports: UpstreamPorts;
  readonly #limits: Limits;
  readonly #circuit: Circuit;
  readonly #pool: ConnectionPool;
  readonly #lists: OwnerLists;
  readonly #lock: UpstreamLock | undefined;
  readonly #catalogues = new EqualCatalogues();
  readonly #reader = new ListReader();
  #features = new WeakMap<Catalogue, Promise<UpstreamFeatures>>();
  /** The calls that run as tasks. */
  readonly tasks: UpstreamTasks;
  readonly #reopenings = new Map<string, Reopening>();
  #lastError: UpstreamStatus['lastError'];
  #isDraining = false;

  constructor({ name, options, naming, generation, isOnly, parked, held }: UpstreamEntry, ports: UpstreamPorts) {
    this.name = name;
    this.options = options;
    this.naming = naming;
    this.generation = generation;
    this.isOnly = isOnly;
    this.parked = parked;
    this.held = held;
    this.#ports = ports;
    this.#limits = limitsOf(options);
    const { deadlines, room, lock } = ports;
    this.#lock =
      lock &&
      new UpstreamLock({
        lock,
        upstream: name,
        origin: originOf(options),
        openMs: this.#limits.openMs,
        reader: this.#reader,
        warn: (error) => this.#warn(error),
      });
    this.#circuit = new Circuit(name, () => deadlines.now());
    this.#pool = new ConnectionPool({
      upstream: name,
      limits: this.#limits,
      deadlines,
      circuit: this.#circuit,
      room,
      open: (user, onClose) => this.#open(user, onClose),
      onOpened: (connection, user) => this.#opened(connection, user),
      onFailed: (error) => this.#failed(error),
    });
    // Its features are made anew, with a task for that tool.
    this.tasks = new UpstreamTasks(name, () => {
      this.#features = new WeakMap();
      this.#lists.allOutdated();
    });
    this.#lists = new OwnerLists({
      deadlines,
      read: (caller, user) => this.#read(caller, user),
      failed: (error) => this.#warn(error),
    });
  }

  userOf(caller: SourceCaller): ConnectionUser {
    const { share = 'principal', auth } = this.options;
    return userOf(caller, share, typeof auth === 'function');
  }

  lend(caller: SourceCaller, purpose: Purpose): MaybePromise<Lease> {
    const joined = (lease: Lease): Lease => this.#joined(lease, caller);
    return mapped(this.#pool.lend(this.userOf(caller), purpose), (lease) =>
      this.#lock === undefined ? joined(lease) : admitted(lease).then(joined),
    );
  }

  #joined(lease: Lease, { connectionKey, caller, principal }: SourceCaller): Lease {
    lease.connection.calledBy(principal);
    lease.connection.join(connectionKey, caller.session);
    return lease;
  }

  /** The features of a caller. Returns no promise if they are known. */
  load(caller: SourceCaller): MaybePromise<UpstreamFeatures> {
    return this.#lists.load(caller, this.userOf(caller));
  }

  /** As they were loaded last. */
  featuresFor(caller: SourceCaller): UpstreamFeatures | undefined {
    return this.#lists.find(this.userOf(caller));
  }

  /** Something was approved, here or by another process. */
  compareAgain(): void {
    if (this.#lock === undefined) return;
    this.#lock.outdate();
    this.#lists.allOutdated();
  }

  /** What it is now, to be approved: over a connection of the gateway itself, else as a caller has seen it last. */
  async seen(): Promise<SeenUpstream> {
    try {
      const { client } = await this.#open(gatewayItself, () => {});
      try {
        const lists = await this.#reader.readAll(client, AbortSignal.timeout(this.#limits.openMs));
        const { serverInfo, instructions } = client;
        return { server: this.name, origin: originOf(this.options), connected: { serverInfo, instructions }, lists };
      } finally {
        await client.close({ timeoutMs: 1 });
      }
    } catch (error) {
      const seen = this.#lock?.lastSeen;
      if (seen !== undefined) return seen;
      throw error instanceof OpenFailure ? error.cause : error;
    }
  }

  get lists(): OwnerLists {
    return this.#lists;
  }

  /** The open connections that a caller may use. */
  connectionsOf(caller: SourceCaller): UpstreamConnection[] {
    return this.#pool.of(this.userOf(caller));
  }

  ended(connection: string): void {
    this.#pool.ended(connection);
    this.#lists.ended(connection);
  }

  status(): UpstreamStatus {
    const { size, waiting } = this.#pool;
    const circuit = this.#circuit.stateOf(size > 0);
    const isFailing = this.#lastError !== undefined && circuit !== 'closed';
    return {
      state: this.#isDraining ? 'draining' : size > 0 ? 'connected' : isFailing ? 'failing' : 'idle',
      generation: this.generation,
      required: this.options.required ?? false,
      connections: size,
      waiting,
      parked: this.parked.size + this.held.size,
      circuit,
      lastError: this.#lastError,
    };
  }

  get connections(): readonly GatewayConnection[] {
    return this.#pool.owners().map((one) => ({ upstream: this.name, ...one }));
  }

  /** Of one client, or of all. */
  async revoke(principal: string, client?: string): Promise<void> {
    this.#lists.forget(principal, client);
    await this.#pool.revoke(principal, client);
  }

  /** No new calls; those that run end within the time that they have. */
  drain(): Promise<void> {
    this.#stopReopening();
    return this.#pool.drain(this.#limits.drainMs);
  }

  close(): Promise<void> {
    this.#stopReopening();
    return this.#pool.close();
  }

  #open(user: ConnectionUser, onClose: () => void): Promise<UpstreamConnection> {
    const { name, options } = this;
    const { clientInfo, ttlMs, testDeadlines, telemetry, dropped, warn } = this.#ports;
    const { openMs, callMs } = this.#limits;
    const settings = {
      name,
      options,
      clientInfo,
      openMs,
      callMs,
      // The state of a call expires first.
      inputMs: ttlMs + 60_000,
      deadlines: testDeadlines,
      telemetry: telemetry && tracedFor(telemetry, name),
      lockOf: this.#lock && ((client: Client) => (this.#lock as UpstreamLock).of(client)),
      dropped,
      warn,
      printed: (line: string) => console.error(`${name}: ${escapeControls(line)}`),
    };
    return openConnection(settings, user, onClose);
  }

  #opened(connection: UpstreamConnection, user: ConnectionUser): void {
    this.#lastError = undefined;
    // One that serves a single call closes before anything can change.
    if (user.key === undefined) return;
    const onChange = (list: 'tools' | 'prompts' | 'resources'): void => {
      connection.lock?.changed(list);
      this.#lists.outdated(user);
    };
    const { listKey } = user;
    this.#reopenings.get(listKey)?.opened();
    const onLost = (): void => {
      if (!this.#isDraining && !connection.isLeft) this.#reopeningOf(user).lost();
    };
    connection.changes.followLists(onChange, onLost).catch((error: unknown) => this.#warn(error));
  }

  /** Lists that are followed are read again over another connection, which then reports their changes. */
  #reopeningOf(user: ConnectionUser): Reopening {
    const { listKey } = user;
    const known =
      this.#reopenings.get(listKey) ??
      new Reopening(this.#ports.deadlines, async () => {
        if (!this.#isDraining && this.#lists.isFollowed(user)) await this.#lists.readAgain(user);
        else this.#reopenings.delete(listKey);
      });
    this.#reopenings.set(listKey, known);
    return known;
  }

  #stopReopening(): void {
    this.#isDraining = true;
    for (const reopening of this.#reopenings.values()) reopening.close();
  }

  #failed(error: unknown): void {
    const cause = error instanceof OpenFailure ? error.cause : error;
    const code = cause instanceof TenonError ? cause.code : 'unreachable';
    const what = code === 'sign-in-required' ? 'needs an account of the user' : 'is not reachable';
    this.#lastError = { code, message: `The upstream "${this.name}" ${what}.`, at: Date.now() };
    this.#warn(cause);
  }

  /** The cause of the error that a caller gets. */
  callFailed(error: unknown): void {
    if (!(error instanceof OpenFailure) && !isMismatch(error)) this.#warn(error);
  }

  #warn(error: unknown): void {
    this.#ports.warn(
      error instanceof TenonError
        ? named(this.name, error)
        : new TenonError('request-failed', `The upstream "${this.name}" has answered with an error.`, { cause: error }),
    );
  }

  async #read(caller: SourceCaller, user: ConnectionUser): Promise<UpstreamFeatures> {
    const lease = await this.#pool.lend(user, 'list');
    if (this.#lock === undefined) this.#joined(lease, caller);
    try {
      const { client, lock } = lease.connection;
      const signal = AbortSignal.timeout(this.#limits.openMs);
      const { lists, instructions } = lock
        ? await lock.read(signal)
        : { lists: await this.#reader.readAll(client, signal), instructions: client.instructions };
      if (lock !== undefined) this.#joined(lease, caller);
      return await this.#featuresOf(this.#catalogues.same(catalogueOf(client, lists, instructions)));
    } finally {
      lease.release();
    }
  }

  #featuresOf(catalogue: Catalogue): Promise<UpstreamFeatures> {
    const known = this.#features.get(catalogue) ?? this.#compile(catalogue);
    this.#features.set(catalogue, known);
    return known;
  }

  async #compile(catalogue: Catalogue): Promise<UpstreamFeatures> {
    const { name, naming, parked, held } = this;
    const served = servedPart(catalogue, naming);
    const { dropped, required, others } = this.#ports;
    const ports: ForwardPorts = {
      upstream: name,
      uris: naming.uris,
      hides: naming.hides,
      isTraced: this.#ports.telemetry !== undefined,
      callMs: this.#limits.callMs,
      parked,
      held,
      tasks: this.tasks,
      required,
      others,
      lend: (caller) => this.lend(caller, 'call'),
      dropped,
      failed: (error) => this.callFailed(error),
    };
    return featuresOf(ports, served, await shownNames(served, naming));
  }
}

type Limits = Required<UpstreamLimits>;

/** A process costs more than a connection by HTTP, over which calls do not disturb each other. */
function limitsOf({ url, limits = {} }: UpstreamOptions): Limits {
  const isHttp = url !== undefined;
  return {
    maxConnections: isHttp ? 1000 : 100,
    maxConnectionsPerOwner: isHttp ? 1 : 4,
    ...withDefaults(upstreamLimits, limits),
  };
}

/** Rejects with `lock-mismatch`, and gives the connection back, unless the upstream is the approved one. */
async function admitted(lease: Lease): Promise<Lease> {
  try {
    await lease.connection.lock?.admit();
    return lease;
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** It was reported when it was found. */
const isMismatch = (error: unknown): boolean => error instanceof TenonError && error.code === 'lock-mismatch';

const originOf = ({ command, args = [], url }: UpstreamOptions): ServerOrigin =>
  command !== undefined ? { command, args } : url !== undefined ? { url } : {};

/** Without a user, and without answers to requests. */
const gatewayItself: ConnectionUser = {
  key: undefined,
  listKey: '',
  features: [],
  principal: undefined,
  session: undefined,
  isOfSession: false,
  share: undefined,
  failsAs: undefined,
};
