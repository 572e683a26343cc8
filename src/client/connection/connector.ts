/** How a client reaches a server: what makes its connections, one after the other. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { Transport } from '../../transport/channel.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

/** What an attempt in progress waits for. */
export interface PendingReason {
  readonly text: string;
  readonly hint: string;
}

/** Opens the protocol over a channel. `own` overrides the options of the user. */
export type OpenConnection = (channel: Transport, own?: ConnectionOptions) => Promise<Connection>;

export interface Connector {
  /** Makes one connection. When the signal is aborted, it has to release everything. */
  connect(open: OpenConnection, signal: AbortSignal, deadlines: Deadlines): Promise<Connection>;
  /** Whether a broken connection is replaced, unless the option `reconnect` is set. */
  readonly reconnects: boolean;
  /** Whether every connection starts a server of its own, which knows nothing of what the one before carried out. */
  readonly startsServer?: boolean;
  /** What an attempt in progress waits for. */
  pendingReason?(): PendingReason | undefined;
  /** What the server is known by to every client that reaches it, where there is such a name. */
  readonly address?: string | undefined;
}
