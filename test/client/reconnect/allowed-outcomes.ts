/** What a caller may be told of a call, for how often it was carried out. */
import type { TenonError } from 'tenon';

/** An answer means once; an outcome that nobody knows names its request, and means once at most. */
export const isFair = (outcome: string | TenonError, times: number): boolean =>
  typeof outcome === 'string'
    ? times === 1
    : outcome.code === 'outcome-unknown' && typeof outcome.details.requestId === 'number' && times <= 1;
