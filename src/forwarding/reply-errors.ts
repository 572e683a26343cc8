/** Errors of another server, as ours: their names decide on the number that each protocol version has for them. */
import { RpcError } from '../jsonrpc/errors.ts';
import { outcomeLostData } from '../protocol/error-data.ts';
import { type RpcErrorReason, rpcError } from '../protocol/errors.ts';
import type { ReplyError } from './remote-call.ts';

/** The names of the numbers of the newest version with sessions. */
const reasons: ReadonlyMap<number, RpcErrorReason> = new Map([
  [-32600, 'invalid-request'],
  [-32601, 'method-not-found'],
  [-32602, 'invalid-params'],
  [-32603, 'internal-error'],
  [-32002, 'resource-not-found'],
  [-32042, 'url-elicitation-required'],
]);

export const fromReply = ({ code, message, data }: ReplyError): RpcError =>
  new RpcError(code, message, data, reasons.get(code));

/** The call was begun by a process or an instance that is not here any more. It must not run twice. */
export const callLost = (): RpcError =>
  rpcError(
    'server-error',
    'The process that ran this call is not this one, or has dropped it: whether the call was carried out is unknown. It does not run again.',
    outcomeLostData,
  );
