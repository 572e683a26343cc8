/** The public states of a connection, and the events that change them. */

/** The state of the connection of a client. */
export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'backoff' | 'draining' | 'closed';

/** The event that changed the state. `docs/connection.md` lists all transitions. */
export type ConnectionEvent =
  | 'requested'
  | 'opened'
  | 'stable'
  | 'answered'
  | 'failed'
  | 'dropped'
  | 'retry'
  | 'lost'
  | 'aborted'
  | 'close'
  | 'drained';

/** A change of the state of a connection. */
export interface ConnectionStateChange {
  /** The state before. */
  readonly from: ConnectionState;
  /** The state after. */
  readonly to: ConnectionState;
  /** The event that caused the change. */
  readonly event: ConnectionEvent;
  /** The error, if one caused the change. */
  readonly error?: Error;
  /** How long the client waits before the next attempt. */
  readonly retryDelayMs?: number;
}
