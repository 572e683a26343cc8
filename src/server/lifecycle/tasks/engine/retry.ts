/** Whether a run that threw is followed by another one, and when. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { CompiledRetry } from '../../../ports/call-limits.ts';

/** Errors that another run would meet again. */
const finalCodes: ReadonlySet<string> = new Set([
  'replay-diverged',
  'journal-full',
  'outcome-unknown',
  'task-lost',
  'invalid-argument',
  'invalid-outgoing-message',
]);

export const isRetried = (error: unknown): boolean => !(error instanceof TenonError && finalCodes.has(error.code));

/** Full jitter: many tasks that failed together do not come back together. `random` is from 0 to 1. */
export function retryDelayMs({ backoffMs, maxBackoffMs }: CompiledRetry, attempts: number, random: number): number {
  return Math.round(random * Math.min(backoffMs * 2 ** (attempts - 1), maxBackoffMs));
}

export const retryText = ({ attempts: most }: CompiledRetry, attempts: number, delayMs: number): string =>
  `Attempt ${attempts} of ${most} has failed; the next one begins in ${Math.ceil(delayMs / 1000)} s.`;
