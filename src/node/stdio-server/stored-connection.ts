/** The connection of a server on standard streams and its store: one that is opened by its URL comes before the first message. */

import { toWarning } from '../../jsonrpc/errors.ts';
import type { RequestOptions } from '../../jsonrpc/outbox.ts';
import { createPeerCounts } from '../../jsonrpc/peer-counts.ts';
import type { Log } from '../../lib/errors/logger.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { internalsOf, type ServerLike } from '../../server/internals.ts';
import type { UsedStore } from '../../server/kernel/attached-store.ts';
import type { Server } from '../../server/server.ts';
import type { AcceptOptions } from '../../server/transport/accept-options.ts';
import type { ConnectionStats, ServerConnection } from '../../server/transport/serve-transport.ts';
import type { Store } from '../../store/store.ts';
import type { PipeTransport } from '../pipe/pipe-transport.ts';
import { isWithoutStore, openServiceStore, passedStore, reportStore, type ServiceStore } from '../service-store.ts';

export interface StoredConnectionOptions {
  readonly store: Store | string | undefined;
  readonly storeMs: number;
  readonly accept: AcceptOptions;
  readonly log: Log | undefined;
}

export class StoredConnection {
  readonly #server: Pick<Server, 'accept'> & ServerLike;
  readonly #transport: PipeTransport;
  readonly #options: StoredConnectionOptions;
  #service: ServiceStore | undefined;
  #used: UsedStore | undefined;
  /** Absent while the store is opened. */
  #connection: ServerConnection | undefined;

  /** Throws where the server refuses the store or the transport. A store that cannot be opened closes the transport. */
  constructor(server: Pick<Server, 'accept'> & ServerLike, transport: PipeTransport, options: StoredConnectionOptions) {
    this.#server = server;
    this.#transport = transport;
    this.#options = options;
    const { store } = options;
    if (typeof store !== 'string' || isWithoutStore(store)) this.#open(passedStore(store));
    else this.#openLater(store).catch((cause: Error) => transport.close(cause));
  }

  get store(): Store | undefined {
    return this.#service?.store;
  }

  stats(): ConnectionStats {
    return this.#connection?.stats() ?? { activeCalls: 0, dropped: createPeerCounts() };
  }

  async ping(options?: RequestOptions): Promise<void> {
    if (this.#connection === undefined)
      throw new TenonError('connection-closed', 'The connection is not open yet: its store is being opened.');
    await this.#connection.ping(options);
  }

  inputEnded(): void {
    this.#connection?.inputEnded();
  }

  close(waitMs: number): void {
    if (this.#connection === undefined) this.#transport.close();
    else void this.#connection.close(waitMs);
  }

  /** The connection has closed: closes the store that was opened for it, once it has nothing left to do. */
  async release(): Promise<void> {
    await this.#used?.release();
    await this.#service?.close();
  }

  async #openLater(url: string): Promise<void> {
    const service = await openServiceStore(url);
    if (this.#transport.state === 'closed') return service.close();
    try {
      this.#open(service);
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  #open(service: ServiceStore): void {
    const { accept, storeMs, log } = this.#options;
    const { store } = service;
    this.#used = store && internalsOf(this.#server).useStore(store, storeMs);
    try {
      this.#connection = this.#server.accept(this.#transport, accept);
    } catch (error) {
      void this.#used?.release();
      throw error;
    }
    this.#service = service;
    service.onError = (error) => accept.onWarning?.(toWarning(error));
    if (store !== undefined) reportStore(store, log, (warning) => accept.onWarning?.(warning));
    log?.('info', {}, 'connection opened');
  }
}
