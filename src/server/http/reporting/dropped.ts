/** What an endpoint counts: sessions, streams, calls, and what it dropped, by reason. */

import type { PeerCounts } from '../../../jsonrpc/peer-counts.ts';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { TaskCounts } from '../../ports/call-limits.ts';

/** What an endpoint has dropped since its start, by reason. */
export interface Dropped extends PeerCounts {
  /** Clients that were disconnected from a stream because they did not read it. */
  slow: number;
}

/** The current counts of an endpoint. */
export interface HttpStats extends TaskCounts {
  /** Open sessions, including streams of HTTP+SSE. */
  readonly sessions: number;
  /** Open event streams. */
  readonly streams: number;
  /** Calls that have not finished. */
  readonly activeCalls: number;
  /** Calls that wait for a slot, since too many run. */
  readonly waitingCalls: number;
  /** Messages that were dropped and clients that were disconnected since the start, by reason. */
  readonly dropped: Readonly<Dropped>;
}

export const nothingDropped = (): Dropped => ({ late: 0, unknown: 0, invalid: 0, slow: 0 });

export function countWarning(dropped: Dropped, error: Error): void {
  if (error instanceof TenonError && error.code === 'queue-full') dropped.slow++;
}
