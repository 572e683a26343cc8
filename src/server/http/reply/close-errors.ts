/** The errors of calls that run when their session ends, by its reason. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import { cutOffData } from '../../../protocol/error-data.ts';
import { rpcError } from '../../../protocol/errors.ts';
import { principalRevoked, serverCloses } from '../../ports/link.ts';

/** For calls that have not finished when the server closes. They have begun, so the client must not repeat them by itself. */
export const cancelledByClose = rpcError(
  'overloaded',
  'The server is shutting down and cancelled this call',
  cutOffData,
);

/** For calls that run when their principal is revoked. */
export const cancelledByRevocation = rpcError('unauthorized', 'The credentials were revoked');

const closeErrors: ReadonlyMap<string, readonly [RpcError, number]> = new Map([
  [serverCloses, [cancelledByClose, 503]],
  [principalRevoked, [cancelledByRevocation, 401]],
]);

/** The error and its status. Not 404: after a 404 a client may send the call again, though it has begun. */
export const closeErrorOf = (reason: string): readonly [RpcError, number] =>
  closeErrors.get(reason) ?? [rpcError('invalid-request', `The session has ended: ${reason}`), 200];
