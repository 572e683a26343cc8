/** Remembers which servers could not be discovered, so that they are not probed each time. */

import { RpcError } from '../../../jsonrpc/errors.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import type { ReportTap } from '../../../transport/tap.ts';
import type { Connection } from '../connection.ts';
import type { Connector, OpenConnection, PendingReason } from '../connector.ts';

/** How many servers are remembered; beyond that the oldest are dropped. */
const maxRemembered = 1000;

/** Discovery is tried again after this time, since a server may be upgraded. */
const maxAgeMs = 10 * 60_000;

/** The names of servers that need the handshake, and since when that is known. */
export type RememberedVersions = Map<string, number>;

/**
 * Connects to the server of this name: with the handshake at once if discovery failed before, and with discovery if the
 * server supports it since then.
 */
export const remembering = (remembered: RememberedVersions, name: string, connector: Connector): Connector =>
  new RememberingConnector(remembered, name, connector);

class RememberingConnector implements Connector {
  readonly #remembered: RememberedVersions;
  readonly #name: string;
  readonly #connector: Connector;

  constructor(remembered: RememberedVersions, name: string, connector: Connector) {
    this.#remembered = remembered;
    this.#name = name;
    this.#connector = connector;
  }

  get reconnects(): boolean {
    return this.#connector.reconnects;
  }

  get startsServer(): boolean {
    return this.#connector.startsServer === true;
  }

  get address(): string | undefined {
    return this.#connector.address;
  }

  pendingReason(): PendingReason | undefined {
    return this.#connector.pendingReason?.();
  }

  async connect(
    open: OpenConnection,
    signal: AbortSignal,
    deadlines: Deadlines,
    report: ReportTap | undefined,
  ): Promise<Connection> {
    const discovering = async (): Promise<Connection> =>
      this.#remember(await this.#connector.connect(open, signal, deadlines, report), deadlines.now());
    if (!this.#isKnown(deadlines.now())) return discovering();
    const openByHandshake: OpenConnection = (transport, own) => open(transport, { ...own, handshake: true });
    try {
      return await this.#connector.connect(openByHandshake, signal, deadlines, report);
    } catch (error) {
      // After any failure the next attempt tries discovery again.
      this.#remembered.delete(this.#name);
      if (signal.aborted || !refusesHandshake(error)) throw error;
      return discovering();
    }
  }

  #isKnown(now: number): boolean {
    const since = this.#remembered.get(this.#name);
    return since !== undefined && now - since < maxAgeMs;
  }

  #remember(connection: Connection, now: number): Connection {
    this.#remembered.delete(this.#name);
    if (connection.fellBack) remember(this.#remembered, this.#name, now);
    return connection;
  }
}

function remember(remembered: RememberedVersions, name: string, now: number): void {
  if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value as string);
  remembered.set(name, now);
}

/** A handshake without an answer is not among them: no time is left. */
const handshakeRefusals: ReadonlySet<string> = new Set([
  'endpoint-not-found',
  'http-error',
  'invalid-result',
  'protocol-version-mismatch',
  'server-exited',
  'unexpected-content',
]);

/** Whether the handshake itself may have failed, and not the connection to the server. */
const refusesHandshake = (error: unknown): boolean =>
  error instanceof RpcError || (error instanceof TenonError && handshakeRefusals.has(error.code));
