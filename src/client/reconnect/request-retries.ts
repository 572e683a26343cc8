/** What is asked for on a connection is asked for again on the next one, where the first turns out to be of no use. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { needsRediscovery, serverReplaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import { maxTries, pauseMs } from '../retry/backoff.ts';
import { isConnectionLost, isTemporary } from '../retry/failure-outcome.ts';
import type { WaitForConnection } from './waiting-calls.ts';

/** How long somebody waits, and how a connection is come by meanwhile. */
export interface RetryPorts {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  waitForConnection(options: WaitForConnection): Promise<Connection>;
  /** Lets some time pass, as long as anything can be asked. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** What one attempt has of the wait. */
export type AttemptLimits = Pick<RetryPorts, 'timeoutMs' | 'signal'>;

/** The first attempt has the whole time, as any other request; what follows it has what is left. */
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

/** A connection, for whoever still wants one: a signal may be aborted in the turn that brings it. */
export async function connectionFor(
  { waitForConnection, signal }: Omit<RetryPorts, 'pause'>,
  timeoutMs: number,
): Promise<Connection> {
  const connection = await waitForConnection({ timeoutMs, signal });
  return signal?.aborted ? waitForConnection({ timeoutMs, signal }) : connection;
}

/** Ends a connection that is of no use any more, and waits until it is over. */
async function mayRetry(connection: Connection, error: unknown, connect: () => Promise<Connection>): Promise<boolean> {
  const isUseless = !connection.isClosed && (isConnectionLost(error) || (await isServerReplaced(connection, error)));
  // A client that is about to close refuses here, and leaves the connection to the calls that end on it.
  if (isUseless && (await connect()) === connection)
    connection.close(isConnectionLost(error) ? (error as Error) : serverReplaced(error));
  if (isUseless || connection.isClosed) {
    await connection.closed;
    return true;
  }
  return isCutOff(error);
}

/** Whether another server, which knows nothing of what is spoken, has taken the place of the one that was met. */
export const isServerReplaced = async (connection: Connection, error: unknown): Promise<boolean> =>
  needsRediscovery(error) && !(await stillServes(connection));

/** Over HTTP a response that broke off says nothing of the next. */
const isCutOff = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'connection-closed' && error.details.url !== undefined;
