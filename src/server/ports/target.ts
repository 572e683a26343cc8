/** The target of a call: the name of a tool or a prompt, or the URI of a resource or a template. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { ErrorContext } from './call-limits.ts';

/** The tool, prompt or URI that is called, or whose argument is completed; empty where there is none. */
export function targetOf({ params }: { readonly params?: unknown }): string {
  if (!isRecord(params)) return '';
  return String(params.name ?? params.uri ?? refTarget(params.ref));
}

/** The prompt or template that a reference names. */
export const refTarget = (ref: unknown): string =>
  isRecord(ref) ? String((ref.type === 'ref/prompt' ? ref.name : ref.uri) ?? '') : '';

/** A call as it is passed to `failed`, with the id of its HTTP request if there is one. */
export const failedCall = (method: string, target: string, requestId: string | undefined): ErrorContext =>
  requestId === undefined ? { method, target } : { method, target, requestId };

/** A request as it is passed to `failed`. */
export const failedRequest = (request: { readonly method: string; readonly params?: unknown }): ErrorContext => ({
  method: request.method,
  target: targetOf(request),
});

/**
 * Characters of a name or URI in a request, and of all variables of a template in a completion. They are compared with
 * every template.
 * @limit server
 * @beyond the request is rejected before anything is looked up
 * @code invalid-params
 */
export const maxTargetChars = 8192;

/** Requests whose target is a name or a URI, by the place of it. */
const places: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
  'completion/complete': 'ref',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
  'tasks/result': 'taskId',
};

/**
 * Resources and tasks that the subscriptions of one connection watch together, without sessions; of one endpoint over HTTP, a caller alone gets half.
 * @limit server
 * @beyond the request is rejected
 * @code overloaded
 */
export const maxWatched = 10_000;

export const tooManyWatched = (): RpcError =>
  rpcError('overloaded', `The subscriptions of a connection can have at most ${maxWatched} resources and tasks`);

const tooLong = (place: string): RpcError =>
  rpcError('invalid-params', `params.${place} has more than ${maxTargetChars} characters`);

/** The error for a request with too long a name or URI, or too many of them. Few characters cannot be either. */
export function targetRefusal(method: string, target: string, params: Fields): RpcError | undefined {
  if (target.length <= maxTargetChars) return undefined;
  if (method !== 'subscriptions/listen') return places[method] === undefined ? undefined : tooLong(places[method]);
  const { resourceSubscriptions = [] } = params.notifications as { resourceSubscriptions?: readonly string[] };
  if (resourceSubscriptions.length > maxWatched) return tooManyWatched();
  const at = resourceSubscriptions.findIndex(({ length }) => length > maxTargetChars);
  return at < 0 ? undefined : tooLong(`notifications.resourceSubscriptions[${at}]`);
}
