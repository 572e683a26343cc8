/** Connections to PostgreSQL: a bounded pool, commands that are bounded in time, and errors with names. */
import type { Client, ClientBase, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Address } from './address.ts';
import { isUnanswered, named, notConnected, unanswered } from './failures.ts';

export interface ConnectionLimits {
  /** How long a command may take. */
  readonly commandMs: number;
  /** How long connecting may take, or waiting for a connection that is not in use. */
  readonly connectMs: number;
  readonly maxConnections: number;
}

/** A named statement is parsed once for each connection. */
export type Statement = Pick<QueryConfig, 'name' | 'text'>;

/** How long a server may take to answer the end of a connection. One that hangs never does. */
const goodbyeMs = 1000;

/** Values as PostgreSQL writes them: the engine reads its JSON itself. */
const types = { getTypeParser: () => (text: unknown) => text };

export class Connections {
  readonly #pool: Pool;
  /** Those whose sockets may be open. */
  readonly #pooled = new Set<ClientBase>();
  readonly #newClient: () => Client;
  readonly #address: Address;
  readonly #limits: ConnectionLimits;
  readonly #onLost: (cause: unknown) => void;
  #isClosed = false;

  /** `onLost` is called when a connection was lost. The next command makes another one. */
  static async open(
    address: Address,
    limits: ConnectionLimits,
    onLost: (cause: unknown) => void,
  ): Promise<Connections> {
    return new Connections(await loadPg(), address, limits, onLost);
  }

  private constructor(
    pg: Awaited<ReturnType<typeof loadPg>>,
    address: Address,
    limits: ConnectionLimits,
    onLost: (cause: unknown) => void,
  ) {
    this.#address = address;
    this.#limits = limits;
    this.#onLost = onLost;
    const { shown: _, ...target } = address;
    const config: ClientConfig = { ...target, types, keepAlive: true, connectionTimeoutMillis: limits.connectMs };
    this.#newClient = () => new pg.Client({ ...config, application_name: 'tenon messages' });
    this.#pool = new pg.Pool({
      ...config,
      application_name: 'tenon',
      max: limits.maxConnections,
      idleTimeoutMillis: 30_000,
      onConnect: (client) => this.#withinTime(client, { text: settings(limits.commandMs) }),
    });
    this.#pool.on('error', (cause) => this.#lost(cause));
    this.#pool.on('connect', (client) => this.#pooled.add(client));
    this.#pool.on('remove', (client) => this.#pooled.delete(client));
  }

  /** Runs a statement on any connection. */
  query(statement: Statement, values: readonly unknown[] = []): Promise<readonly Record<string, string | null>[]> {
    return this.use((client) => this.#withinTime(client, statement, values));
  }

  /** Has a connection for several statements; one that fails is closed. */
  async use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    // Its query rejects, too.
    const onError = (): void => undefined;
    client.on('error', onError);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (cause) {
      client.release(isUnanswered(cause));
      if (isUnanswered(cause)) this.#lost(cause);
      throw cause;
    } finally {
      client.off('error', onError);
    }
  }

  /** Runs statements one after the other in a transaction, each with a bound of its own. */
  transaction<T>(work: (run: (text: string) => Promise<readonly Record<string, string | null>[]>) => Promise<T>) {
    return this.use(async (client): Promise<T> => {
      const run = (text: string) => this.#withinTime(client, { text });
      await run('BEGIN');
      try {
        const result = await work(run);
        await run('COMMIT');
        return result;
      } catch (cause) {
        if (!isUnanswered(cause)) await run('ROLLBACK');
        throw cause;
      }
    });
  }

  /** A connection of its own, for `LISTEN`. The caller ends it by `end`. */
  async connectAlone(): Promise<Client> {
    const client = this.#newClient();
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch (cause) {
      throw notConnected(this.#address.shown, cause);
    }
    return client;
  }

  /** Runs a statement on a connection that `connectAlone` returned. */
  ask(client: Client, statement: Statement, values?: readonly unknown[]) {
    return this.#withinTime(client, statement, values);
  }

  /** Ends a connection that `connectAlone` returned. */
  async end(client: Client): Promise<void> {
    const timer = setTimeout(() => socketOf(client).destroy(), goodbyeMs);
    await client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
    setTimeout(() => {
      for (const client of this.#pooled) socketOf(client).destroy();
    }, goodbyeMs).unref();
  }

  async #connect(): Promise<PoolClient> {
    if (this.#isClosed) throw new TenonError('store-failed', 'The store in PostgreSQL is closed.');
    try {
      return await this.#pool.connect();
    } catch (cause) {
      throw notConnected(this.#address.shown, cause);
    }
  }

  /** A statement without an answer closes its connection: what waits could run long after its caller has failed. */
  async #withinTime(client: ClientBase, statement: Statement, values: readonly unknown[] = []) {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      socketOf(client).destroy();
    }, this.#limits.commandMs);
    try {
      const { rows } = await client.query({ ...statement, values: [...values] });
      return rows as readonly Record<string, string | null>[];
    } catch (cause) {
      throw isLate ? unanswered(cause) : named(cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #lost(cause: unknown): void {
    if (!this.#isClosed) this.#onLost(named(cause));
  }
}

const socketOf = (client: ClientBase): { destroy(): void } =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;

/**
 * Only functions of the store run here, and they look up few rows: plans are made once, and use indexes in nested loops,
 * whatever statistics say that are from a time at which a table was empty. The server cancels what takes too long before
 * the client stops waiting.
 */
const settings = (commandMs: number): string =>
  Object.entries({
    search_path: 'pg_catalog',
    default_transaction_isolation: "'read committed'",
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_bitmapscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    enable_material: 'off',
    jit: 'off',
    lock_timeout: Math.ceil(commandMs * 0.8),
    statement_timeout: Math.ceil(commandMs * 0.9),
  })
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ');

async function loadPg() {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new TenonError('missing-package', 'The package pg is not installed.', {
      hint: 'Run `npm install pg`.',
      cause,
    });
  }
}
