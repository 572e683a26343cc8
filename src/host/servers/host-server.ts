/** One server of a host: its client, started when it is first needed, and how it is doing. */

import type { Subscription } from '../../client/api/changes.ts';
import type { Client } from '../../client/api/client.ts';
import type { ConnectionState } from '../../client/api/connection-state.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import { declares } from '../../client/connection/capabilities.ts';
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Implementation } from '../../protocol/generated/types/records.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ChangeBroadcast } from './changes.ts';

export interface ServerHealth {
  readonly server: string;
  readonly state: ConnectionState;
  /** How many calls and lists were sent, how many of them failed, and how many are under way. */
  readonly calls: number;
  readonly failures: number;
  readonly inFlight: number;
  /** How long the last one took that was answered. */
  readonly latencyMs: number | undefined;
  /** What went wrong last, and when, as Date.now() has it. */
  readonly lastError: { readonly error: Error; readonly at: number } | undefined;
  /** What the server is, and what is spoken with it, once it was connected. */
  readonly serverInfo: Implementation | undefined;
  readonly protocolVersion: string | undefined;
}

export interface HostServerPorts {
  readonly server: string;
  readonly deadlines: Deadlines;
  readonly listTimeoutMs: number;
  readonly maxListed: number;
  readonly broadcast: ChangeBroadcast;
  /** Makes a client. Throws where the configuration does not allow for one. */
  open(): Client;
  fault(error: Error): void;
}

/** A list as far as it came, and why no further. */
export interface Listed<T> {
  readonly items: T[];
  readonly problem: Error | undefined;
}

type State = { readonly is: 'open'; readonly client: Client | undefined } | { readonly is: 'closed' };

export class HostServer {
  readonly server: string;
  readonly #ports: HostServerPorts;
  #state: State = { is: 'open', client: undefined };
  #listening: Promise<Subscription | undefined> | undefined;
  #calls = 0;
  #failures = 0;
  #inFlight = 0;
  #latencyMs: number | undefined;
  #lastError: ServerHealth['lastError'];
  /** The time-out of a list that waited for the connection; later lists do not wait again. */
  #connectTimeout: Error | undefined;

  constructor(ports: HostServerPorts) {
    this.server = ports.server;
    this.#ports = ports;
  }

  /** The one client of this server. One that has ended for good is followed by another. */
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
  async use<T>(run: (client: Client) => Promise<T>): Promise<T> {
    const { deadlines } = this.#ports;
    const begun = deadlines.now();
    this.#calls++;
    this.#inFlight++;
    try {
      const result = await run(this.#client());
      this.#latencyMs = deadlines.now() - begun;
      return result;
    } catch (error) {
      if (!isCallerError(error)) {
        this.#failures++;
        this.#failed(error as Error);
      }
      throw error;
    } finally {
      this.#inFlight--;
    }
  }

  /** All of a list that comes in time and is not too much. A server without such a list has an empty one. */
  async list<T>(
    capability: string,
    listing: (client: Client, signal: AbortSignal) => PaginatedList<T>,
  ): Promise<Listed<T>> {
    const { deadlines, listTimeoutMs, maxListed } = this.#ports;
    const late = (client: Client): Error => {
      const error = tooLate(this.server, listTimeoutMs);
      if (client.connection.state === 'connecting') this.#connectTimeout = error;
      return error;
    };
    const items: T[] = [];
    try {
      await this.use((client) =>
        withTimeout({ deadlines, ms: listTimeoutMs, timedOut: () => late(client) }, async (signal) => {
          this.#checkState(client);
          await client.connection.ready();
          if (!declares(client.capabilities, capability)) return;
          for await (const page of listing(client, signal).pages()) {
            const room = maxListed - items.length;
            items.push(...page.slice(0, room));
            if (page.length > room) throw tooLong(this.server, capability, maxListed);
          }
        }),
      );
      return { items, problem: undefined };
    } catch (error) {
      return { items, problem: error as Error };
    }
  }

  /** A list does not wait for a server that could not be reached a moment ago. */
  #checkState({ connection }: Client): void {
    if (connection.state === 'backoff' && this.#lastError !== undefined) throw this.#lastError.error;
    if (connection.state === 'connecting' && this.#connectTimeout !== undefined) throw this.#connectTimeout;
  }

  #ready(client: Client): void {
    this.#connectTimeout = undefined;
    this.#listen(client);
  }

  /** Receives changes while the server is connected, without connecting it for that. */
  watch(isRead: boolean): void {
    const client = this.#state.is === 'open' ? this.#state.client : undefined;
    if (isRead && client?.connection.state === 'ready') return this.#listen(client);
    const listening = this.#listening;
    this.#listening = undefined;
    listening?.then((changes) => changes?.close()).catch(() => {});
  }

  #listen(client: Client): void {
    const { broadcast, fault } = this.#ports;
    if (!broadcast.isRead || this.#listening !== undefined) return;
    const { capabilities } = client;
    const announces = (list: string): boolean => declares(capabilities, `${list}.listChanged`);
    const filter = {
      toolsListChanged: announces('tools'),
      promptsListChanged: announces('prompts'),
      resourcesListChanged: announces('resources'),
    };
    if (!Object.values(filter).includes(true)) return;
    const stopped = (): void => {
      if (this.#listening === listening) this.#listening = undefined;
    };
    const listening: Promise<Subscription | undefined> = client.subscribe(filter).then(
      (changes) => {
        void this.#forwardChanges(changes).then(stopped);
        return changes;
      },
      (error) => {
        stopped();
        fault(error as Error);
        return undefined;
      },
    );
    this.#listening = listening;
  }

  async #forwardChanges(changes: Subscription): Promise<void> {
    try {
      for await (const change of changes) this.#ports.broadcast.put({ server: this.server, change });
    } catch {
      // The end of the connection is reported by its state.
    }
  }

  #failed(error: Error): void {
    this.#lastError = { error, at: Date.now() };
  }

  /** The client where there has been a connection, for what it knows of the server. */
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

/** Invalid arguments or options of the caller are no failure of the server. */
const isCallerError = (error: unknown): boolean =>
  error instanceof TenonError &&
  (error.code === 'invalid-outgoing-message' ||
    (error.code === 'invalid-argument' && error.details.place !== undefined));

const tooLate = (server: string, ms: number): TenonError =>
  new TenonError('timeout', `${server} did not list what it has within ${ms} ms.`, {
    hint: 'The list goes on without it. Raise "listTimeoutMs" where it is slow to start.',
    details: { server },
  });

const tooLong = (server: string, list: string, limit: number): TenonError =>
  new TenonError('list-too-long', `${server} has more ${list} than the ${limit} that are listed.`, {
    hint: 'Raise "maxListed" to see the others.',
    details: { server, limit },
  });
