/** Errors for calls that cannot wait for a connection. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isPermanent } from '../retry/backoff.ts';
import type { State } from './table.ts';

export const connectionClosed = (cause?: Error): TenonError =>
  cause === undefined
    ? new TenonError('connection-closed', 'The connection is closed.')
    : new TenonError('connection-closed', `The connection is closed: ${cause.message}`, { cause });

const clientClosed = (): TenonError =>
  new TenonError('connection-closed', 'This client was closed.', {
    hint: 'Create another one, or close it after its last call.',
  });

/** Why a call cannot wait in this state; undefined if it can. */
export function refusalIn(state: State, breakAfter: number, hasConnected = true): Error | undefined {
  if (state.is === 'draining') return clientClosed();
  if (state.is === 'closed') {
    if (state.by === 'close' || state.by === 'drained') return clientClosed();
    // The error of the only attempt, as connect() throws it.
    return state.by === 'lost' && !hasConnected ? (state.reason ?? connectionClosed()) : connectionClosed(state.reason);
  }
  if (state.is !== 'backoff') return undefined;
  if (isPermanent(state.error)) return state.error;
  return state.unserved >= breakAfter ? circuitOpen(state.unserved, state.error) : undefined;
}

const circuitOpen = (failures: number, cause: Error): TenonError =>
  new TenonError('circuit-open', `The connection failed ${failures} times in a row: ${cause.message}`, {
    hint: "The client keeps trying: client.connection.on('state', …) reports when it is connected.",
    details: { failures },
    cause,
  });
