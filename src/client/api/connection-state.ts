/** The states of a connection and what moves it from one to the next, as its user sees them. */

export type ConnectionState = 'idle' | 'connecting' | 'ready' | 'backoff' | 'draining' | 'closed';

export type EventName =
  | 'wanted'
  | 'opened'
  | 'settled'
  | 'served'
  | 'failed'
  | 'dropped'
  | 'due'
  | 'lost'
  | 'given-up'
  | 'close'
  | 'drained';

export interface ConnectionStateChange {
  readonly from: ConnectionState;
  readonly to: ConnectionState;
  readonly event: EventName;
  /** What went wrong, where something did. */
  readonly error?: Error;
  /** How long until the next attempt. */
  readonly retryDelayMs?: number;
}
