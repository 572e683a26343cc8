/** How a client reaches a server: what makes its connections, one after the other. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { Channel } from '../../transport/channel.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

/** What an attempt that has come to nothing yet waits for. */
export interface PendingReason {
  readonly text: string;
  readonly hint: string;
}

/** Opens the protocol over a channel. Whoever made the channel may know better than the user's options. */
export type OpenConnection = (channel: Channel, own?: ConnectionOptions) => Promise<Connection>;

export interface Connector {
  /** Makes one connection. Once the signal is aborted, nothing of it may stay behind. */
  connect(open: OpenConnection, signal: AbortSignal, deadlines: Deadlines): Promise<Connection>;
  /** Whether a connection that broke off is made again, where the option `reconnect` does not say. */
  readonly reconnects: boolean;
  /** Whether every connection starts a server of its own, which knows nothing of what the one before carried out. */
  readonly startsServer?: boolean;
  /** What an attempt that is under way waits for. */
  pendingReason?(): PendingReason | undefined;
  /** What the server is known by to every client that reaches it, where there is such a name. */
  readonly address?: string | undefined;
}
