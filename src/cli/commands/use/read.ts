/** `tenon read`: reads a resource. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { sendRequest } from '../../answers/send-request.ts';
import type { RunCommand } from '../../io/command.ts';

export const run: RunCommand = (given) =>
  sendRequest(given, 'read').catch((error: unknown) => {
    throw withUri(error, given.words[0] ?? '');
  });

/** Servers answer that a resource was not found without its URI. */
function withUri(error: unknown, uri: string): unknown {
  if (!(error instanceof RpcError) || error.step !== undefined || error.message.includes(uri)) return error;
  const { code, message, data, reason, method } = error;
  return Object.assign(RpcError.answered({ code, message: `${uri}: ${message}`, data }, reason, error), { method });
}
