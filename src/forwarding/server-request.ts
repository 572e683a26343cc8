/** A request of another server in the form in which its client is sent it, and an error as that server gets it. */
import { RpcError } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { isRecord } from '../lib/values/is.ts';
import type { InputRequest } from '../protocol/neutral.ts';
import type { RemoteRequest, ReplyError } from './remote-call.ts';

const methods: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** Whether a client can be sent it. */
export const isForClients = (method: string): boolean => methods.has(method);

export const methodNotFound = (method: string): ReplyError => ({
  code: -32601,
  message: `Method not found: ${method}`,
});

/** Keys of validators are left out of a form: no form may have them. */
export function inputRequestOf({ method, params }: RemoteRequest): InputRequest {
  const { requestedSchema } = params;
  if (!isRecord(requestedSchema)) return { method, params };
  const { $schema: _, additionalProperties: __, ...schema } = requestedSchema;
  return { method, params: { ...params, requestedSchema: schema } };
}

/** The error as the other server gets it. Texts of this side name no data of other callers. */
export function replyErrorOf(error: unknown): ReplyError {
  const answered = error instanceof TenonError && error.cause instanceof RpcError ? error.cause : error;
  if (answered instanceof RpcError) return answered.toObject();
  if (!(error instanceof TenonError)) return { code: -32603, message: 'The request could not be sent.' };
  return { code: error.code === 'capability-not-supported' ? -32601 : -32603, message: error.message };
}
