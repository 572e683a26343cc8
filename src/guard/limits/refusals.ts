/** Why a request may not run: it is over a limit, or its limits cannot be checked. */
import { type RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { notStartedData } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { LimitAnswer, TokenClaim } from '../../store/limit-store.ts';
import type { CallCost } from './options.ts';

/** How long to wait where the store does not know it: a slot is free when a call ends. */
const usualWaitMs = 1000;

/** The option of a limit, from the key of its bucket. */
const optionOf = (key: string): string => key.slice(0, key.indexOf('/'));

export function tooMany({ key, retryAfterMs }: Extract<LimitAnswer, { allowed: false }>): RpcError {
  const wait = retryAfterMs > 0 ? Math.ceil(retryAfterMs) : usualWaitMs;
  const limit = optionOf(key);
  return rpcError('rate-limited', `Too many requests. Try again in ${Math.ceil(wait / 1000)} s.`, {
    ...notStartedData,
    retryAfterMs: wait,
    limit,
  });
}

/** Without a time to wait: it does not help. */
export const neverAllowed = ({ key, bucket }: TokenClaim, cost: number): RpcError =>
  rpcError('rate-limited', `This call costs ${cost}, and at most ${bucket.burst} are allowed at once. Ask for less.`, {
    ...notStartedData,
    limit: optionOf(key),
    cost,
  });

/** The client gets no details; the cause is for the log of the server. */
export const unavailable = (cause: TenonError): RpcError =>
  rpcError('overloaded', 'The limits of requests cannot be checked now. Try again later.', again, cause);

export const badCost = (cause: TenonError): RpcError =>
  rpcError('internal-error', 'The cost of this call cannot be computed.', undefined, cause);

const again = { ...notStartedData, retryAfterMs: usualWaitMs };

/** The cost of a call by its arguments. A function that fails, or returns no number, refuses the call. */
export function costFrom(
  costOf: Exclude<CallCost, number>,
  args: Readonly<Record<string, unknown>>,
): number | TenonError {
  let cost: unknown;
  try {
    cost = costOf(args);
  } catch (cause) {
    return new TenonError('callback-failed', 'A function in limits.costs failed.', { cause });
  }
  if (typeof cost === 'number' && cost >= 0) return cost;
  return new TenonError('callback-failed', `A function in limits.costs returned ${typeof cost}, which is no cost.`, {
    hint: 'It must return a number of at least 0.',
  });
}
