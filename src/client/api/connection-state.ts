/** The states of a connection and what moves it from one to the next, as its user sees them. */

export type StateName = 'idle' | 'connecting' | 'ready' | 'backoff' | 'draining' | 'closed';

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

export interface StateChange {
  readonly from: StateName;
  readonly to: StateName;
  readonly by: EventName;
  /** What went wrong, where something did. */
  readonly error?: Error;
  /** How long until the next attempt. */
  readonly waitMs?: number;
}
