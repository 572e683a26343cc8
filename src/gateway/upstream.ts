/** One upstream of a gateway: its connections, the lists of each owner, and the calls that wait for their callers. */
import type { ForwardedCall } from '../forwarding/forwarded-call.ts';
import type { ParkedCalls } from '../forwarding/parked-calls.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { withDefaults } from '../lib/options/read-options.ts';
import { escapeControls } from '../lib/text/control-characters.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { type MaybePromise, mapped } from '../lib/values/maybe-promise.ts';
import type { Implementation } from '../protocol/generated/types/records.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import { featuresOf } from './calls/features.ts';
import type { ForwardPorts } from './calls/forward.ts';
import type { RequiredAccounts } from './calls/required-accounts.ts';
import { type Catalogue, EqualCatalogues, readCatalogue, type UpstreamFeatures } from './catalogue/catalogue.ts';
import { type Naming, servedPart, shownNames } from './catalogue/naming.ts';
import { OwnerLists } from './catalogue/owner-lists.ts';
import { Circuit } from './connections/circuit.ts';
import type { UpstreamConnection } from './connections/connection.ts';
import { named, OpenFailure, openConnection } from './connections/open-connection.ts';
import { type ConnectionUser, userOf } from './connections/owner.ts';
import { ConnectionPool, type Lease, type Purpose } from './connections/pool.ts';
import type { ConnectionRoom } from './connections/room.ts';
import { upstreamLimits } from './options.table.ts';
import type { UpstreamLimits, UpstreamOptions, UpstreamStatus } from './types.ts';

export interface UpstreamPorts {
  readonly deadlines: Deadlines;
  /** Set by tests, for the clients of upstreams too. */
  readonly testDeadlines: Deadlines | undefined;
  readonly clientInfo: Implementation;
  /** How long a caller may continue a call. */
  readonly ttlMs: number;
  readonly room: ConnectionRoom;
  readonly required: RequiredAccounts;
  dropped(method: string, reason: string): void;
  warn(error: TenonError): void;
}

export interface UpstreamEntry {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly naming: Naming;
  /** Rises with every change of its options. */
  readonly generation: number;
  /** Whether there is no other. */
  readonly isOnly: boolean;
  /** The calls that wait for their callers, of all generations. */
  readonly parked: ParkedCalls<ForwardedCall>;
}

export class Upstream implements UpstreamEntry {
  readonly name: string;
  readonly options: UpstreamOptions;
  readonly naming: Naming;
  readonly generation: number;
  readonly isOnly: boolean;
  readonly parked: ParkedCalls<ForwardedCall>;
  readonly #ports: UpstreamPorts;
  readonly #limits: Limits;
  readonly #circuit: Circuit;
  readonly #pool: ConnectionPool;
  readonly #lists: OwnerLists;
  readonly #catalogues = new EqualCatalogues();
  readonly #features = new WeakMap<Catalogue, Promise<UpstreamFeatures>>();
  #lastError: UpstreamStatus['lastError'];
  #isDraining = false;

  constructor({ name, options, naming, generation, isOnly, parked }: UpstreamEntry, ports: UpstreamPorts) {
    this.name = name;
    this.options = options;
    this.naming = naming;
    this.generation = generation;
    this.isOnly = isOnly;
    this.parked = parked;
    this.#ports = ports;
    this.#limits = limitsOf(options);
    const { deadlines, room } = ports;
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
    this.#lists = new OwnerLists({
      deadlines,
      read: (caller, user) => this.#read(caller, user),
      failed: (error) => this.#warn(error),
    });
  }

  userOf(caller: SourceCaller): ConnectionUser {
    return userOf(caller, this.options.share ?? 'principal');
  }

  lend(caller: SourceCaller, purpose: Purpose, user = this.userOf(caller)): MaybePromise<Lease> {
    return mapped(this.#pool.lend(user, purpose), (lease) => {
      lease.connection.join(caller.connectionKey, caller.caller.session);
      return lease;
    });
  }

  /** The features of a caller. Returns no promise if they are known. */
  load(caller: SourceCaller): MaybePromise<UpstreamFeatures> {
    return this.#lists.load(caller, this.userOf(caller));
  }

  /** As they were loaded last. */
  featuresFor(caller: SourceCaller): UpstreamFeatures | undefined {
    return this.#lists.find(this.userOf(caller));
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
      parked: this.parked.size,
      circuit,
      lastError: this.#lastError,
    };
  }

  /** No new calls; those that run end within the time that they have. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#pool.drain(this.#limits.drainMs);
  }

  close(): Promise<void> {
    this.#isDraining = true;
    return this.#pool.close();
  }

  #open(user: ConnectionUser, onClose: () => void): Promise<UpstreamConnection> {
    const { name, options } = this;
    const { clientInfo, ttlMs, testDeadlines, dropped, warn } = this.#ports;
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
    connection.changes.followLists(() => this.#lists.outdated(user)).catch((error: unknown) => this.#warn(error));
  }

  #failed(error: unknown): void {
    const cause = error instanceof OpenFailure ? error.cause : error;
    const code = cause instanceof TenonError ? cause.code : 'unreachable';
    this.#lastError = { code, message: `The upstream "${this.name}" is not reachable.`, at: Date.now() };
    this.#warn(cause);
  }

  #warn(error: unknown): void {
    this.#ports.warn(
      error instanceof TenonError
        ? named(this.name, error)
        : new TenonError('request-failed', `The upstream "${this.name}" has answered with an error.`, { cause: error }),
    );
  }

  async #read(caller: SourceCaller, user: ConnectionUser): Promise<UpstreamFeatures> {
    const lease = await this.lend(caller, 'list', user);
    try {
      const whole = await readCatalogue(lease.connection.client, AbortSignal.timeout(this.#limits.openMs));
      return await this.#featuresOf(this.#catalogues.same(whole));
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
    const { name, naming, parked } = this;
    const served = servedPart(catalogue, naming);
    const { dropped, required } = this.#ports;
    const ports: ForwardPorts = {
      upstream: name,
      uris: naming.uris,
      hides: naming.hides,
      callMs: this.#limits.callMs,
      parked,
      required,
      lend: (caller) => this.lend(caller, 'call'),
      dropped,
      failed: (error) => {
        if (!(error instanceof OpenFailure)) this.#warn(error);
      },
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
