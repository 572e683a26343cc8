/** How a client reaches a server: what makes its connections, one after the other. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { Channel } from '../../transport/channel.ts';
import type { Line, LineOptions } from './connection.ts';

/** What an attempt that has come to nothing yet waits for. */
export interface Awaited {
  readonly text: string;
  readonly hint: string;
}

/** Opens the protocol over a channel. Whoever made the channel may know better than the user's options. */
export type OpenLine = (channel: Channel, own?: LineOptions) => Promise<Line>;

export interface Reach {
  /** Makes one connection. Once the signal is aborted, nothing of it may stay behind. */
  dial(open: OpenLine, signal: AbortSignal, deadlines: Deadlines): Promise<Line>;
  /** Whether a connection that broke off is made again, where the option `reconnect` does not say. */
  readonly reconnects: boolean;
  /** Whether every connection starts a server of its own, which knows nothing of what the one before carried out. */
  readonly startsServer?: boolean;
  /** What an attempt that is under way waits for. */
  awaited?(): Awaited | undefined;
  /** What the server is known by to every client that reaches it, where there is such a name. */
  readonly address?: string | undefined;
}
