/** Sends a request again on the next connection, if the first is closed or its server was replaced. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Connection } from '../connection/connection.ts';
import { needsRediscovery, serverReplaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import { maxTries, pauseMs } from '../retry/backoff.ts';
import { isConnectionLost, isTemporary } from '../retry/failure-outcome.ts';
import type { WaitForConnection } from './waiting-calls.ts';

/** The limits of a request, and how it gets a connection. */
export interface RetryPorts {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  waitForConnection(options: WaitForConnection): Promise<Connection>;
  /** Waits, but not after the client has closed. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The limits of one attempt. */
export type AttemptLimits = Pick<RetryPorts, 'timeoutMs' | 'signal'>;

/** The first attempt has the whole time; later ones have the rest. */
export async function requestWithRetries<T>(
  ports: RetryPorts,
  deadlines: Deadlines,
  send: (connection: Connection, limits: AttemptLimits) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal } = ports;
  const due = deadlines.now() + timeoutMs;
  const leftMs = (): number => due - deadlines.now();
  const connect = (): Promise<Connection> => connectionFor(ports, Math.max(1, leftMs()));
  for (let attempts = 1; ; attempts++) {
    const connection = await connect();
    try {
      return await send(connection, { timeoutMs: attempts === 1 ? timeoutMs : Math.max(1, leftMs()), signal });
    } catch (error) {
      const isLast = attempts === maxTries || signal?.aborted || leftMs() <= 0;
      const delayMs = isTemporary(error) ? pauseMs(attempts, error) : undefined;
      if (isLast || (delayMs ?? 0) >= leftMs()) throw error;
      if (delayMs !== undefined) await ports.pause(delayMs, signal);
      else if (!(await mayRetry(connection, error, connect))) throw error;
    }
  }
}

/** Waits for a connection. The signal may have been aborted meanwhile. */
export async function connectionFor(
  { waitForConnection, signal }: Omit<RetryPorts, 'pause'>,
  timeoutMs: number,
): Promise<Connection> {
  const connection = await waitForConnection({ timeoutMs, signal });
  return signal?.aborted ? waitForConnection({ timeoutMs, signal }) : connection;
}

/** Closes a connection that no longer works, and waits until it is closed. */
async function mayRetry(connection: Connection, error: unknown, connect: () => Promise<Connection>): Promise<boolean> {
  const isUseless = !connection.isClosed && (isConnectionLost(error) || (await isServerReplaced(connection, error)));
  // A closing client rejects here, and leaves the connection to its last calls.
  if (isUseless && (await connect()) === connection)
    connection.close(isConnectionLost(error) ? (error as Error) : serverReplaced(error));
  if (isUseless || connection.isClosed) {
    await connection.closed;
    return true;
  }
  return isCutOff(error);
}

/** Whether the server was replaced by one that does not support the revision in use. */
export const isServerReplaced = async (connection: Connection, error: unknown): Promise<boolean> =>
  needsRediscovery(error) && !(await stillServes(connection));

/** Over HTTP one broken response does not affect the next. */
const isCutOff = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'connection-closed' && error.details.url !== undefined;
