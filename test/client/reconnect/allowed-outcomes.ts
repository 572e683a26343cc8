/** The outcomes that a caller may get for a call, by how often the server ran it. */
import type { TenonError } from 'tenon';

/** A result means that the call ran once. `outcome-unknown` names its request, and means at most once. */
export const isAllowedOutcome = (outcome: string | TenonError, times: number): boolean =>
  typeof outcome === 'string'
    ? times === 1
    : outcome.code === 'outcome-unknown' && typeof outcome.details.requestId === 'number' && times <= 1;
