/** What is asked for on a connection is asked for again on the next one, where the first turns out to be of no use. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Line } from '../connection/connection.ts';
import { isDoubt, replaced, stillServes } from '../connection/negotiation/rediscovery.ts';
import { maxTries, pauseMs } from '../retry/backoff.ts';
import { isDown, isPassing } from '../retry/failure-outcome.ts';
import type { Patience } from './waiting-calls.ts';

/** How long somebody waits, and how a connection is come by meanwhile. */
export interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  reach(patience: Patience): Promise<Line>;
  /** Lets some time pass, as long as anything can be asked. */
  pause(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** What one attempt has of the wait. */
export type Bounds = Pick<Wait, 'timeoutMs' | 'signal'>;

/** The first attempt has the whole time, as any other request; what follows it has what is left. */
export async function askOnSomeLine<T>(
  wait: Wait,
  deadlines: Deadlines,
  ask: (line: Line, bounds: Bounds) => Promise<T>,
): Promise<T> {
  const { timeoutMs, signal } = wait;
  const due = deadlines.now() + timeoutMs;
  const left = (): number => due - deadlines.now();
  const reach = (): Promise<Line> => reachFor(wait, Math.max(1, left()));
  for (let asks = 1; ; asks++) {
    const line = await reach();
    try {
      return await ask(line, { timeoutMs: asks === 1 ? timeoutMs : Math.max(1, left()), signal });
    } catch (error) {
      const isGivenUp = asks === maxTries || signal?.aborted || left() <= 0;
      const restMs = isPassing(error) ? pauseMs(asks, error) : undefined;
      if (isGivenUp || (restMs ?? 0) >= left()) throw error;
      if (restMs !== undefined) await wait.pause(restMs, signal);
      else if (!(await mayAskAgain(line, error, reach))) throw error;
    }
  }
}

/** A connection, for whoever still wants one: a signal may be aborted in the turn that brings it. */
export async function reachFor({ reach, signal }: Omit<Wait, 'pause'>, timeoutMs: number): Promise<Line> {
  const line = await reach({ timeoutMs, signal });
  return signal?.aborted ? reach({ timeoutMs, signal }) : line;
}

/** Ends a connection that is of no use any more, and waits until it is over. */
async function mayAskAgain(line: Line, error: unknown, reach: () => Promise<Line>): Promise<boolean> {
  const isUseless = !line.isOver && (isDown(error) || (await isReplaced(line, error)));
  // A client that is about to close refuses here, and leaves the connection to the calls that end on it.
  if (isUseless && (await reach()) === line) line.close(isDown(error) ? (error as Error) : replaced(error));
  if (isUseless || line.isOver) {
    await line.ended;
    return true;
  }
  return isCutOff(error);
}

/** Whether another server, which knows nothing of what is spoken, has taken the place of the one that was met. */
export const isReplaced = async (line: Line, error: unknown): Promise<boolean> =>
  isDoubt(error) && !(await stillServes(line));

/** Over HTTP a response that broke off says nothing of the next. */
const isCutOff = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'connection-closed' && error.details.url !== undefined;
