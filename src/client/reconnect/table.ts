/** The life of a connection as one table: in which state which event leads where, and what is to be done then. Pure. */
import type { ConnectionState, EventName } from '../api/connection-state.ts';

/**
 * `attempt` counts the failures in a row, which waits grow by; a connection that has held for a while counts from the
 * start again. `unserved` counts those since a call was answered: by them it shows that waiting is in vain.
 */
export type State =
  | { readonly is: 'idle' }
  | { readonly is: 'connecting'; readonly attempt: number; readonly unserved: number }
  | { readonly is: 'ready'; readonly attempt: number; readonly unserved: number }
  | { readonly is: 'backoff'; readonly attempt: number; readonly unserved: number; readonly error: Error }
  | { readonly is: 'draining' }
  | { readonly is: 'closed'; readonly reason: Error | undefined; readonly by: EventName };

export type Event =
  /** Somebody needs the connection. */
  | { readonly kind: 'wanted' }
  | { readonly kind: 'opened' }
  /** The connection has held long enough to be trusted again. */
  | { readonly kind: 'settled' }
  /** A call was answered. */
  | { readonly kind: 'served' }
  /** An attempt came to nothing, and another may do better. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** A connection broke off. */
  | { readonly kind: 'dropped'; readonly error: Error }
  /** The time to wait is over. */
  | { readonly kind: 'due' }
  /** No attempt is worth making any more. */
  | { readonly kind: 'lost'; readonly error: Error | undefined }
  /** The user does not want to connect any more. */
  | { readonly kind: 'aborted'; readonly error: Error }
  /** The user wants to end it, once what is under way is done. */
  | { readonly kind: 'close' }
  /** Nothing is under way any more, or its time is up. */
  | { readonly kind: 'drained' };

/** What a transition asks of whoever holds sockets and clocks. */
export type Effect =
  /** Make a connection. */
  | 'dial'
  /** Restore what the server knew of this client, then let those who wait go on. */
  | 'restore'
  /** Begin to count how long the connection holds, or stop. */
  | 'time'
  | 'untime'
  /** Wait before the next attempt, or stop waiting. */
  | 'wait'
  | 'unwait'
  /** Tell `drained` when nothing is under way. */
  | 'drain'
  /** End the connection, or the attempt to make one. */
  | 'hang-up'
  /** Tell those who wait that nothing will come. */
  | 'refuse';

interface Step {
  readonly to: ConnectionState;
  readonly effects: readonly Effect[];
  readonly why: string;
}

export type Table = Readonly<Record<ConnectionState, Readonly<Partial<Record<EventName, Step>>>>>;

/** An event that a state does not name changes nothing there: it came too late. */
export const table: Table = {
  idle: {
    wanted: { to: 'connecting', effects: ['dial'], why: 'the first call or `connection.ready()` needs a connection' },
    lost: { to: 'closed', effects: ['refuse'], why: 'nothing can be reached' },
    aborted: { to: 'closed', effects: ['refuse'], why: 'connecting was aborted before it began' },
    close: { to: 'closed', effects: ['refuse'], why: 'there is nothing to end' },
  },
  connecting: {
    opened: { to: 'ready', effects: ['time', 'restore'], why: 'the handshake or the discovery is done' },
    failed: { to: 'backoff', effects: ['wait'], why: 'the attempt came to nothing' },
    lost: { to: 'closed', effects: ['refuse'], why: 'no other attempt is wanted' },
    aborted: { to: 'closed', effects: ['hang-up', 'refuse'], why: 'connecting was aborted' },
    close: { to: 'closed', effects: ['hang-up', 'refuse'], why: 'the user has ended it' },
  },
  ready: {
    settled: { to: 'ready', effects: [], why: 'failures count from the start again' },
    served: {
      to: 'ready',
      effects: [],
      why: 'it is of use: failures count from the start again, but not for the wait',
    },
    dropped: { to: 'backoff', effects: ['untime', 'wait'], why: 'the connection broke off' },
    lost: { to: 'closed', effects: ['untime', 'refuse'], why: 'the connection broke off and is not made again' },
    close: { to: 'draining', effects: ['untime', 'drain'], why: 'what is under way may end first' },
  },
  backoff: {
    due: { to: 'connecting', effects: ['dial'], why: 'the wait is over' },
    lost: { to: 'closed', effects: ['unwait', 'refuse'], why: 'no other attempt is wanted' },
    aborted: { to: 'closed', effects: ['unwait', 'refuse'], why: 'connecting was aborted' },
    close: { to: 'closed', effects: ['unwait', 'refuse'], why: 'the user has ended it' },
  },
  draining: {
    drained: { to: 'closed', effects: ['hang-up', 'refuse'], why: 'nothing is under way, or its time is up' },
    dropped: { to: 'closed', effects: ['refuse'], why: 'the connection broke off' },
    lost: { to: 'closed', effects: ['refuse'], why: 'the connection broke off' },
  },
  closed: {},
};

export interface Transition {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What an event makes of a state. Where nothing changes the state is the same object. */
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
        attempt: kind === 'settled' ? 0 : attempt,
        unserved: kind === 'settled' || kind === 'served' ? 0 : unserved,
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
