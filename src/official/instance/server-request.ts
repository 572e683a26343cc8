/** A request of an instance, sent to the client of the call, and the answer as the instance expects it. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Context } from '../../server/definition/context.ts';
import type { Elicitation, SampleRequest } from '../../server/definition/server-requests.ts';
import type { InstanceRequest, ReplyError } from './instance.ts';

/** Names the requests of a call for its client, in the order of the instance. */
export const requestKey = (count: number): string => `bridge-${count}`;

type Send = (ctx: Context, key: string, params: Fields) => Promise<unknown>;

const senders: ReadonlyMap<string, Send> = new Map<string, Send>([
  ['elicitation/create', (ctx, key, params) => ctx.elicit(key, elicitationOf(params))],
  ['sampling/createMessage', (ctx, key, params) => ctx.sample(key, samplingOf(params))],
  ['roots/list', async (ctx, key) => ({ roots: await ctx.listRoots(key) })],
]);

/** Whether a client can be sent it. */
export const isForClients = (method: string): boolean => senders.has(method);

/** `key` names the request within the call. Resolves with the result; rejects if the client does not support it, or refuses. */
export async function sendToClient(ctx: Context, key: string, { method, params }: InstanceRequest): Promise<Fields> {
  const send = senders.get(method);
  if (send === undefined) throw new RpcError(-32601, `Method not found: ${method}`);
  return (await send(ctx, key, params)) as Fields;
}

/** Newer fields of a form, and those of validators, are left out: no form may have them. */
function elicitationOf({ mode, message, url, elicitationId, requestedSchema }: Fields): Elicitation {
  if (mode === 'url') return { message, url, ...(elicitationId !== undefined && { elicitationId }) } as Elicitation;
  const { $schema: _, additionalProperties: __, ...schema } = isRecord(requestedSchema) ? requestedSchema : {};
  return { message, requestedSchema: schema } as unknown as Elicitation;
}

function samplingOf(params: Fields): SampleRequest {
  const { _meta: _, task: __, ...request } = params;
  return request as unknown as SampleRequest;
}

/** The error as the instance gets it. Texts of this side name no data of other callers. */
export function replyErrorOf(error: unknown): ReplyError {
  const answered = error instanceof TenonError && error.cause instanceof RpcError ? error.cause : error;
  if (answered instanceof RpcError) return answered.toObject();
  if (!(error instanceof TenonError)) return { code: -32603, message: 'The request could not be sent.' };
  return { code: error.code === 'capability-not-supported' ? -32601 : -32603, message: error.message };
}
