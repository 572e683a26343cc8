/** The states of a connection as one table: for each state and event the next state and its effects. Pure. */
import type { ConnectionEvent, ConnectionState } from '../api/connection-state.ts';

/**
 * `attempt` counts failures in a row, for the backoff; it restarts after a connection was open for a while. `unserved`
 * counts failures since a call was answered, for rejecting calls instead of letting them wait.
 */
export type State =
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly attempt: number; readonly unserved: number }
  | { readonly is: 'ready'; readonly attempt: number; readonly unserved: number }
  | { readonly is: 'backoff'; readonly attempt: number; readonly unserved: number; readonly error: Error }
  | { readonly is: 'draining' }
  | { readonly is: 'closed'; readonly reason: Error | undefined; readonly by: ConnectionEvent };

export type Event =
  /** A call needs the connection. */
  | { readonly kind: 'requested' }
  | { readonly kind: 'opened' }
  /** The connection has been open long enough to count as stable. */
  | { readonly kind: 'stable' }
  /** A call was answered. */
  | { readonly kind: 'answered' }
  /** An attempt failed, and another may succeed. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** A connection broke. */
  | { readonly kind: 'dropped'; readonly error: Error }
  /** The backoff has passed. */
  | { readonly kind: 'retry' }
  /** There will be no further attempt. */
  | { readonly kind: 'lost'; readonly error: Error | undefined }
  /** The user cancelled connecting. */
  | { readonly kind: 'aborted'; readonly error: Error }
  /** The user closes the client; running calls may finish. */
  | { readonly kind: 'close' }
  /** No call is running, or the time limit has passed. */
  | { readonly kind: 'drained' };

/** What the supervisor does at a transition. */
export type Effect =
  /** Open a connection. */
  | 'connect'
  /** Restore the log level and subscriptions, then let waiting calls continue. */
  | 'restore'
  /** Start or stop the timer after which the connection counts as stable. */
  | 'start-stable-timer'
  | 'stop-stable-timer'
  /** Start or stop the backoff before the next attempt. */
  | 'start-backoff'
  | 'stop-backoff'
  /** Dispatch `drained` when no call is running. */
  | 'drain'
  /** Close the connection, or cancel the attempt. */
  | 'disconnect'
  /** Reject waiting calls. */
  | 'reject-waiting';

interface Step {
  readonly to: ConnectionState;
  readonly effects: readonly Effect[];
  readonly why: string;
}

export type Table = Readonly<Record<ConnectionState, Readonly<Partial<Record<ConnectionEvent, Step>>>>>;

/** An event that a state does not list is ignored there: it came too late. */
export const table: Table = {
  idle: {
    requested: {
      to: 'connecting',
      effects: ['connect'],
      why: 'the first call or `connection.ready()` needs a connection',
    },
    lost: { to: 'closed', effects: ['reject-waiting'], why: 'the server cannot be reached' },
    aborted: { to: 'closed', effects: ['reject-waiting'], why: 'connecting was aborted before it began' },
    close: { to: 'closed', effects: ['reject-waiting'], why: 'there is no connection to close' },
  },
  connecting: {
    opened: { to: 'ready', effects: ['start-stable-timer', 'restore'], why: 'the handshake or the discovery is done' },
    failed: { to: 'backoff', effects: ['start-backoff'], why: 'the attempt failed' },
    lost: { to: 'closed', effects: ['reject-waiting'], why: 'no other attempt is requested' },
    aborted: { to: 'closed', effects: ['disconnect', 'reject-waiting'], why: 'connecting was aborted' },
    close: { to: 'closed', effects: ['disconnect', 'reject-waiting'], why: 'the user closed the client' },
  },
  ready: {
    stable: { to: 'ready', effects: [], why: 'the connection is stable: failures are counted from zero again' },
    answered: {
      to: 'ready',
      effects: [],
      why: 'a call was answered: failures are counted from zero again, but not for the backoff',
    },
    dropped: { to: 'backoff', effects: ['stop-stable-timer', 'start-backoff'], why: 'the connection broke' },
    lost: {
      to: 'closed',
      effects: ['stop-stable-timer', 'reject-waiting'],
      why: 'the connection broke and is not replaced',
    },
    close: { to: 'draining', effects: ['stop-stable-timer', 'drain'], why: 'running calls may finish first' },
  },
  backoff: {
    retry: { to: 'connecting', effects: ['connect'], why: 'the backoff has passed' },
    lost: { to: 'closed', effects: ['stop-backoff', 'reject-waiting'], why: 'no other attempt is requested' },
    aborted: { to: 'closed', effects: ['stop-backoff', 'reject-waiting'], why: 'connecting was aborted' },
    close: { to: 'closed', effects: ['stop-backoff', 'reject-waiting'], why: 'the user closed the client' },
  },
  draining: {
    drained: {
      to: 'closed',
      effects: ['disconnect', 'reject-waiting'],
      why: 'no call is running, or the time limit has passed',
    },
    dropped: { to: 'closed', effects: ['reject-waiting'], why: 'the connection broke' },
    lost: { to: 'closed', effects: ['reject-waiting'], why: 'the connection broke' },
  },
  closed: {},
};

export interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** The state after an event. If nothing changes, it is the same object. */
export function transition(state: State, event: Event): Transition {
  const step = table[state.is][event.kind];
  if (step === undefined) return { state, effects: [] };
  return { state: arrived(step.to, state, event), effects: step.effects };
}

function arrived(to: ConnectionState, from: State, event: Event): State {
  const { attempt, unserved } = 'attempt' in from ? from : { attempt: 0, unserved: 0 };
  const { kind } = event;
  switch (to) {
    case 'connecting':
      return { is: to, attempt, unserved };
    case 'ready':
      return {
        is: to,
        attempt: kind === 'stable' ? 0 : attempt,
        unserved: kind === 'stable' || kind === 'answered' ? 0 : unserved,
      };
    case 'backoff':
      return { is: to, attempt: attempt + 1, unserved: unserved + 1, error: errorOf(event) as Error };
    case 'closed':
      return { is: to, reason: errorOf(event), by: kind };
    case 'idle':
    case 'draining':
      return { is: to };
  }
}

const errorOf = (event: Event): Error | undefined => ('error' in event ? event.error : undefined);
