/** Errors of calls that may run once, and did not run for this request. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import { notStartedData, outcomeLostData } from '../../../protocol/error-data.ts';
import { rpcError } from '../../../protocol/errors.ts';

/** The call may be sent again: nothing has run. */
const notStartedRetry = Object.freeze({ ...notStartedData, retryAfterMs: 1000 });

/** The node that ran the call stopped, or lost the store, before it recorded an outcome. */
export const outcomeLost = (): RpcError =>
  rpcError(
    'server-error',
    'The server that ran this call stopped before it stored the result: whether the call was carried out is unknown. It does not run again.',
    outcomeLostData,
  );

export const storeUnavailable = (cause: unknown): RpcError =>
  rpcError(
    'overloaded',
    'The store that makes this call run once is unavailable. The call was not begun; try again later.',
    notStartedRetry,
    cause,
  );

export const tooMany = (what: string): RpcError => rpcError('overloaded', `${what} Try again later.`, notStartedRetry);
