/** What a pool of connections needs, and what it lends. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Circuit } from './circuit.ts';
import type { UpstreamConnection } from './connection.ts';
import type { ConnectionUser } from './owner.ts';
import type { ConnectionRoom } from './room.ts';

/** The use of a connection, by one call. */
export interface Lease {
  readonly connection: UpstreamConnection;
  /** Whether it was opened for this use. */
  readonly isFresh: boolean;
  /** With `isLost` it gets no further calls: its last one may go on at the upstream. */
  release(isLost?: boolean): void;
}

export interface PoolLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerOwner: number;
  readonly maxWaiting: number;
  readonly queueMs: number;
  readonly idleMs: number;
}

export interface PoolPorts {
  readonly upstream: string;
  readonly limits: PoolLimits;
  readonly deadlines: Deadlines;
  readonly circuit: Circuit;
  readonly room: ConnectionRoom;
  open(user: ConnectionUser, onClose: () => void): Promise<UpstreamConnection>;
  onOpened(connection: UpstreamConnection, user: ConnectionUser): void;
  onFailed(error: unknown): void;
}

/** What a connection is lent for: lists cause no requests of the upstream. */
export type Purpose = 'call' | 'list';
