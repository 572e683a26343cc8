/** The target of a call: the name of a tool or a prompt, or the URI of a resource or a template. */
import { isRecord } from '../../lib/values/is.ts';
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
