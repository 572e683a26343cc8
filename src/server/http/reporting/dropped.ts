/** Counts of what an endpoint dropped, by reason. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import type { PeerCounts } from '../../../jsonrpc/peer-counts.ts';

export interface Dropped extends PeerCounts {
  /** Clients that were disconnected from a stream because they did not read it. */
  slow: number;
}

export const nothingDropped = (): Dropped => ({ late: 0, unknown: 0, invalid: 0, slow: 0 });

export function countWarning(dropped: Dropped, error: Error): void {
  if (error instanceof TenonError && error.code === 'queue-full') dropped.slow++;
}
