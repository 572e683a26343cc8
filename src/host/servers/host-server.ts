/** One server of a host: its client, created on first use, and its health. */

import type { Client, WaitOptions, Watcher } from '../../client/api/client.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import { leftOutOf, type PaginatedList } from '../../client/api/listing.ts';
import { declares } from '../../client/connection/capabilities.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import type { Implementation, ReadResourceResult } from '../../protocol/generated/types/records.ts';
import { withTimeout } from '../with-timeout.ts';
import { ChangeListener } from './change-listener.ts';
import type { ChangeBroadcast } from './changes.ts';
import type { ServerOrigin } from './config.ts';

/** The health of one server of a host. */
export interface ServerHealth {
  /** The name of the server. */
  readonly server: string;
  /** The state of its connection; `idle` until it is first used, and after it was closed as unused. */
  readonly state: ConnectionState;
  /** How many calls and lists were sent. */
  readonly calls: number;
  /** How many of them failed. Mistakes of the caller do not count, such as invalid arguments and cancelled calls. */
  readonly failures: number;
  /** How many are waiting for their result. */
  readonly inFlight: number;
  /** How long the last successful one took. */
  readonly latencyMs: number | undefined;
  /** The last failure, with its time as `Date.now()` gives it. */
  readonly lastError: { readonly error: Error; readonly at: number } | undefined;
  /** The name and version of the server, while it is connected. */
  readonly serverInfo: Implementation | undefined;
  /** The protocol version in use, while it is connected. */
  readonly protocolVersion: string | undefined;
}

export interface HostServerPorts {
  readonly server: string;
  readonly origin: ServerOrigin;
  readonly resolved: string;
  readonly deadlines: Deadlines;
  readonly listMs: number;
  readonly maxListed: number;
  /** How long an unused connection stays open; without it, until the host closes. */
  readonly idleMs: number | undefined;
  readonly broadcast: ChangeBroadcast;
  /** Creates a client. Throws if the configuration has an error. */
  open(): Client;
  warn(error: Error): void;
}

/** The items that were listed, and the error that ended the list early. */
export interface Listed<T> {
  readonly items: T[];
  readonly problem: Error | undefined;
  /** Why items are not in the list: they are not valid. */
  readonly leftOut?: readonly TenonError[];
}

type State =
  /** Not used yet, or closed because it was unused: the next use opens a connection. */
  | { readonly is: 'unused' | 'idle' }
  /** `mayHaveMissed`: it is the first client since the connection was idle, and not connected yet. */
  | { readonly is: 'open'; readonly client: Client; readonly mayHaveMissed: boolean }
  | { readonly is: 'closed'; readonly reason: TenonError };

export class HostServer {
  readonly server: string;
  readonly origin: ServerOrigin;
  /** Its entry with variables replaced. It may have secrets. */
  readonly resolved: string;
  readonly #ports: HostServerPorts;
  #state: State = { is: 'unused' };
  readonly #listener: ChangeListener;
  #watchers = 0;
  /** The timer until an unused connection is closed. */
  #rest: Deadline | undefined;
  #calls = 0;
  #failures = 0;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #lastError: ServerHealth['lastError'];
  /** The time-out of a list that waited for the connection. Later lists fail with it at once. */
  #connectTimeout: Error | undefined;

  constructor(ports: HostServerPorts) {
    this.server = ports.server;
    this.origin = ports.origin;
    this.resolved = ports.resolved;
    this.#ports = ports;
    this.#listener = new ChangeListener(ports);
  }

  /** The client of this server. A closed client is replaced by a new one. */
  #client(): Client {
    const before = this.#state;
    if (before.is === 'closed') throw before.reason;
    if (before.is === 'open' && before.client.connection.state !== 'closed') return before.client;
    const made = this.#ports.open();
    const mayHaveMissed = before.is === 'open' ? before.mayHaveMissed : before.is === 'idle';
    this.#state = { is: 'open', client: made, mayHaveMissed };
    this.#listener.forget();
    this.#connectTimeout = undefined;
    made.connection.on('state', ({ to, error }) => {
      if (error !== undefined) this.#failed(error);
      if (to === 'ready') this.#ready(made);
      const state = to === 'closed' && this.#state.is === 'idle' ? 'idle' : to;
      this.#ports.broadcast.put({ server: this.server, change: { type: 'connection', state } });
    });
    return made;
  }

  /** Runs a call and records its outcome. */
  async use<T>(
    run: (client: Client) => Promise<T>,
    isExcused: (error: unknown) => boolean = isCallerError,
  ): Promise<T> {
    const { deadlines } = this.#ports;
    const begun = deadlines.now();
    this.#calls++;
    this.#inFlight++;
    this.#stayOpen();
    try {
      const result = await run(this.#client());
      this.#latencyMs = deadlines.now() - begun;
      return result;
    } catch (error) {
      if (!isExcused(error)) {
        this.#failures++;
        this.#failed(error as Error);
      }
      throw error;
    } finally {
      this.#inFlight--;
      this.#restIfUnused();
    }
  }

  /** Lists all pages within the time and size limits. Without the capability, or the method, the list is empty. */
  async list<T>(
    capability: string,
    listing: (client: Client, signal: AbortSignal) => PaginatedList<T>,
  ): Promise<Listed<T>> {
    const { deadlines, listMs, maxListed } = this.#ports;
    const late = (client: Client): Error => {
      const error = tooLate(this.server, listMs);
      if (client.connection.state === 'connecting') this.#connectTimeout = error;
      return error;
    };
    const items: T[] = [];
    const leftOut: TenonError[] = [];
    try {
      const read = async (client: Client, signal: AbortSignal): Promise<void> => {
        this.#checkState(client);
        await client.connection.ready();
        if (!declares(client.capabilities, capability)) return;
        for await (const page of listing(client, signal).pages()) {
          const space = maxListed - items.length;
          items.push(...page.slice(0, space));
          leftOut.push(...leftOutOf(page));
          if (page.length > space) throw tooLong(this.server, capability, maxListed);
        }
      };
      await this.use(
        (client) =>
          withTimeout({ deadlines, ms: listMs, timedOut: () => late(client) }, (signal) => read(client, signal)),
        lacksList,
      );
      return { items, problem: undefined, leftOut };
    } catch (error) {
      // Some servers declare a capability, and do not have all of its lists.
      return { items, problem: lacksList(error) ? undefined : (error as Error) };
    }
  }

  /** A list does not wait for a server that was not reachable a moment ago. */
  #checkState({ connection }: Client): void {
    if (connection.state === 'backoff' && this.#lastError !== undefined) throw this.#lastError.error;
    if (connection.state === 'connecting' && this.#connectTimeout !== undefined) throw this.#connectTimeout;
  }

  #ready(client: Client): void {
    this.#connectTimeout = undefined;
    this.#listener.adapt(client);
    if (this.#state.is !== 'open' || !this.#state.mayHaveMissed) return;
    this.#state = { is: 'open', client, mayHaveMissed: false };
    this.#listener.reportMissed(client);
  }

  /** Adapts the subscription to the current filters. Does not connect the server. */
  adaptSubscription(): void {
    this.#listener.adapt(this.connected);
    this.#restIfUnused();
  }

  /** Watches a resource. A watched server is not idle. */
  async watch(
    uri: string,
    onChange: (contents: ReadResourceResult['contents']) => void,
    options: WaitOptions | undefined,
  ): Promise<Watcher> {
    this.#watchers++;
    let isOpen = true;
    const unwatch = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#watchers--;
      this.#restIfUnused();
    };
    try {
      const watcher = await this.use((client) => client.resources.watch(uri, onChange, options));
      return { close: () => watcher.close().finally(unwatch) };
    } catch (error) {
      unwatch();
      throw error;
    }
  }

  /** Starts the time after which an unused connection is closed. It does not keep the process alive. */
  #restIfUnused(): void {
    const { deadlines, idleMs } = this.#ports;
    this.#stayOpen();
    const isUsed = this.#inFlight > 0 || this.#watchers > 0 || this.#listener.watchesResources;
    if (idleMs === undefined || isUsed || this.#state.is !== 'open') return;
    this.#rest = deadlines.add(idleMs, () => this.#closeIdle(), false);
  }

  #stayOpen(): void {
    if (this.#rest !== undefined) this.#ports.deadlines.cancel(this.#rest);
    this.#rest = undefined;
  }

  /** The next use opens another connection. */
  #closeIdle(): void {
    this.#rest = undefined;
    if (this.#state.is !== 'open') return;
    const { client } = this.#state;
    this.#state = { is: 'idle' };
    this.#listener.forget();
    client.close().catch((error) => this.#ports.warn(error as Error));
  }

  #failed(error: Error): void {
    this.#lastError = { error, at: Date.now() };
  }

  /** The client while it is connected. */
  get connected(): Client | undefined {
    return this.#connectionState === 'ready' ? this.#opened : undefined;
  }

  get #opened(): Client | undefined {
    return this.#state.is === 'open' ? this.#state.client : undefined;
  }

  get #connectionState(): ConnectionState {
    return this.#state.is === 'closed' ? 'closed' : (this.#opened?.connection.state ?? 'idle');
  }

  health(): ServerHealth {
    return {
      server: this.server,
      state: this.#connectionState,
      calls: this.#calls,
      failures: this.#failures,
      inFlight: this.#inFlight,
      latencyMs: this.#latencyMs,
      lastError: this.#lastError,
      serverInfo: this.connected?.serverInfo,
      protocolVersion: this.connected?.protocolVersion,
    };
  }

  /** Closes the connection for good. Later calls are rejected with the reason. */
  async close(reason: TenonError, options?: { readonly timeoutMs?: number }): Promise<void> {
    const client = this.#opened;
    this.#stayOpen();
    this.#state = { is: 'closed', reason };
    await client?.close(options);
  }
}

/** Errors of a server for mistakes of the caller, such as an unknown tool. */
const callerReasons: ReadonlySet<string> = new Set(['invalid-params', 'resource-not-found']);
const callerCodes: ReadonlySet<string> = new Set(['cancelled', 'capability-not-supported', 'invalid-outgoing-message']);

/** Mistakes of the caller, and calls it cancelled, are no failures of the server. */
const isCallerError = (error: unknown): boolean => {
  if (error instanceof RpcError) return callerReasons.has(error.reason);
  if (!(error instanceof TenonError)) return false;
  return callerCodes.has(error.code) || (error.code === 'invalid-argument' && error.details.place !== undefined);
};

/** A list has no arguments, so every other error is one of the server. */
const lacksList = (error: unknown): boolean => error instanceof RpcError && error.reason === 'method-not-found';

const tooLate = (server: string, ms: number): TenonError =>
  new TenonError('timeout', `The server ${server} did not answer a list request within ${ms} ms.`, {
    hint: 'The list contains the other servers. List again if it starts slowly.',
    details: { server },
  });

const tooLong = (server: string, list: string, limit: number): TenonError =>
  new TenonError('list-too-long', `The server ${server} has more than ${limit} ${list}; the others are not listed.`, {
    hint: 'Raise "limits.maxListed" to list more.',
    details: { server, limit },
  });
