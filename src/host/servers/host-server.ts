/** One server of a host: its client, created on first use, and its health. */

import type { Subscription } from '../../client/api/changes.ts';
import type { Client } from '../../client/api/client.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import { declares } from '../../client/connection/capabilities.ts';
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { RpcError, TenonError } from '../../jsonrpc/errors.ts';
import type { Implementation, ServerCapabilities, SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ChangeBroadcast } from './changes.ts';

/** The health of one server of a host. */
export interface ServerHealth {
  /** The name of the server. */
  readonly server: string;
  /** The state of its connection; `idle` until it is first used. */
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
  readonly deadlines: Deadlines;
  readonly listMs: number;
  readonly maxListed: number;
  readonly broadcast: ChangeBroadcast;
  /** Creates a client. Throws if the configuration has an error. */
  open(): Client;
  warn(error: Error): void;
}

/** The items that were listed, and the error that ended the list early. */
export interface Listed<T> {
  readonly items: T[];
  readonly problem: Error | undefined;
}

type State = { readonly is: 'open'; readonly client: Client | undefined } | { readonly is: 'closed' };

export class HostServer {
  readonly server: string;
  readonly #ports: HostServerPorts;
  #state: State = { is: 'open', client: undefined };
  #listening: { readonly key: string; readonly subscription: Promise<Subscription | undefined> } | undefined;
  #calls = 0;
  #failures = 0;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #lastError: ServerHealth['lastError'];
  /** The time-out of a list that waited for the connection. Later lists fail with it at once. */
  #connectTimeout: Error | undefined;

  constructor(ports: HostServerPorts) {
    this.server = ports.server;
    this.#ports = ports;
  }

  /** The client of this server. A closed client is replaced by a new one. */
  #client(): Client {
    if (this.#state.is === 'closed') throw new TenonError('connection-closed', 'The host is closed.');
    const { client } = this.#state;
    if (client !== undefined && client.connection.state !== 'closed') return client;
    const made = this.#ports.open();
    this.#state = { is: 'open', client: made };
    this.#listening = undefined;
    this.#connectTimeout = undefined;
    made.connection.on('state', ({ to, error }) => {
      if (error !== undefined) this.#failed(error);
      if (to === 'ready') this.#ready(made);
      this.#ports.broadcast.put({ server: this.server, change: { type: 'connection', state: to } });
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
    }
  }

  /** Lists all pages within the time and size limits. Without the capability the list is empty. */
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
    try {
      const read = async (client: Client, signal: AbortSignal): Promise<void> => {
        this.#checkState(client);
        await client.connection.ready();
        if (!declares(client.capabilities, capability)) return;
        for await (const page of listing(client, signal).pages()) {
          const space = maxListed - items.length;
          items.push(...page.slice(0, space));
          if (page.length > space) throw tooLong(this.server, capability, maxListed);
        }
      };
      await this.use(
        (client) =>
          withTimeout({ deadlines, ms: listMs, timedOut: () => late(client) }, (signal) => read(client, signal)),
        neverExcused,
      );
      return { items, problem: undefined };
    } catch (error) {
      return { items, problem: error as Error };
    }
  }

  /** A list does not wait for a server that was not reachable a moment ago. */
  #checkState({ connection }: Client): void {
    if (connection.state === 'backoff' && this.#lastError !== undefined) throw this.#lastError.error;
    if (connection.state === 'connecting' && this.#connectTimeout !== undefined) throw this.#connectTimeout;
  }

  #ready(client: Client): void {
    this.#connectTimeout = undefined;
    this.#listen(client);
  }

  /** Adapts the subscription to the filters of now. Does not connect the server. */
  watch(): void {
    const client = this.#state.is === 'open' ? this.#state.client : undefined;
    if (client?.connection.state === 'ready') this.#listen(client);
    else if (!isWanted(this.#ports.broadcast.wanted(this.server))) this.#stopListening();
  }

  #stopListening(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    listening?.subscription.then((subscription) => subscription?.close()).catch(() => {});
  }

  #listen(client: Client): void {
    const filter = supportedPart(this.#ports.broadcast.wanted(this.server), client.capabilities);
    if (!isWanted(filter)) return this.#stopListening();
    const key = JSON.stringify(filter);
    const before = this.#listening;
    if (before?.key === key) return;
    const subscription = before === undefined ? this.#subscribe(client, filter) : this.#update(before, filter);
    this.#listening = { key, subscription };
    void this.#dropIfFailed(subscription);
  }

  /** A subscription that failed is opened again with the next connection. */
  async #dropIfFailed(subscription: Promise<Subscription | undefined>): Promise<void> {
    const opened = await subscription;
    if (opened === undefined && this.#listening?.subscription === subscription) this.#listening = undefined;
  }

  async #subscribe(client: Client, filter: SubscriptionFilter): Promise<Subscription | undefined> {
    try {
      const subscription = await client.subscribe(filter);
      void this.#forwardChanges(subscription);
      return subscription;
    } catch (error) {
      this.#ports.warn(error as Error);
      return undefined;
    }
  }

  async #update(
    { subscription }: { readonly subscription: Promise<Subscription | undefined> },
    filter: SubscriptionFilter,
  ): Promise<Subscription | undefined> {
    const opened = await subscription;
    try {
      await opened?.update(filter);
    } catch (error) {
      this.#ports.warn(error as Error);
    }
    return opened;
  }

  async #forwardChanges(subscription: Subscription): Promise<void> {
    try {
      for await (const change of subscription) this.#ports.broadcast.put({ server: this.server, change });
    } catch {
      // The state of the connection reports that it closed.
    }
    // A subscription that the server ended is opened again with the next connection.
    const listening = this.#listening;
    if ((await listening?.subscription) === subscription && this.#listening === listening) this.#listening = undefined;
  }

  #failed(error: Error): void {
    this.#lastError = { error, at: Date.now() };
  }

  /** The client while it is connected. */
  get connected(): Client | undefined {
    const client = this.#state.is === 'open' ? this.#state.client : undefined;
    return client?.connection.state === 'ready' ? client : undefined;
  }

  health(): ServerHealth {
    const client = this.#state.is === 'open' ? this.#state.client : undefined;
    return {
      server: this.server,
      state: this.#state.is === 'closed' ? 'closed' : (client?.connection.state ?? 'idle'),
      calls: this.#calls,
      failures: this.#failures,
      inFlight: this.#inFlight,
      latencyMs: this.#latencyMs,
      lastError: this.#lastError,
      serverInfo: this.connected?.serverInfo,
      protocolVersion: this.connected?.protocolVersion,
    };
  }

  async close(options?: { readonly timeoutMs?: number }): Promise<void> {
    const client = this.#state.is === 'open' ? this.#state.client : undefined;
    this.#state = { is: 'closed' };
    await client?.close(options);
  }
}

const isWanted = ({ resourceSubscriptions = [], ...lists }: SubscriptionFilter): boolean =>
  resourceSubscriptions.length > 0 || Object.values(lists).includes(true);

/** The part of a filter that a server supports. */
function supportedPart(filter: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const supports = (path: string): boolean => declares(capabilities, path);
  return {
    toolsListChanged: filter.toolsListChanged === true && supports('tools.listChanged'),
    promptsListChanged: filter.promptsListChanged === true && supports('prompts.listChanged'),
    resourcesListChanged: filter.resourcesListChanged === true && supports('resources.listChanged'),
    ...(supports('resources.subscribe') && { resourceSubscriptions: filter.resourceSubscriptions ?? [] }),
  };
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

/** A list has no arguments, so every error is one of the server. */
const neverExcused = (): boolean => false;

const tooLate = (server: string, ms: number): TenonError =>
  new TenonError('timeout', `The server ${server} did not answer a list request within ${ms} ms.`, {
    hint: 'The list contains the other servers. Raise "timeouts.listMs" if it starts slowly.',
    details: { server },
  });

const tooLong = (server: string, list: string, limit: number): TenonError =>
  new TenonError('list-too-long', `The server ${server} has more than ${limit} ${list}; the others are not listed.`, {
    hint: 'Raise "limits.maxListed" to list more.',
    details: { server, limit },
  });
