/** What an endpoint dropped, by why. */
import { TenonError } from '../../../jsonrpc/errors.ts';
import type { PeerCounts } from '../../../jsonrpc/peer-counts.ts';

export interface Dropped extends PeerCounts {
  /** Readers of streams that were let go, since they did not read. */
  slow: number;
}

export const nothingDropped = (): Dropped => ({ late: 0, unknown: 0, invalid: 0, slow: 0 });

export function countFault(dropped: Dropped, error: Error): void {
  if (error instanceof TenonError && error.code === 'queue-full') dropped.slow++;
}
