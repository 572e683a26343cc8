/** How a client reaches a server: creates its connections, one after the other. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { ReportTap } from '../../transport/tap.ts';
import type { Transport } from '../../transport/transport.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

/** What an attempt in progress waits for. */
export interface PendingReason {
  readonly text: string;
  readonly hint: string;
}

/** Opens the protocol over a transport. `own` overrides the options of the user. */
export type OpenConnection = (transport: Transport, own?: ConnectionOptions) => Promise<Connection>;

export interface Connector {
  /** Opens one connection. When the signal is aborted, it must release everything. `report` is set if a tap watches it. */
  connect(open: OpenConnection, signal: AbortSignal, deadlines: Deadlines, report?: ReportTap): Promise<Connection>;
  /** Whether a broken connection is replaced, unless the option `reconnect` is set. */
  readonly reconnects: boolean;
  /** Whether every connection starts a new server, which does not know the calls of the one before. */
  readonly startsServer?: boolean;
  /** What an attempt in progress waits for. */
  pendingReason?(): PendingReason | undefined;
  /** A name of the server that is the same for every client, if there is one. */
  readonly address?: string | undefined;
}
