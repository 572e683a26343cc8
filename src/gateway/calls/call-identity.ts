/** What a call has at its upstream of what its caller has sent: `_meta`, and a key that names the caller as well. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import { idempotencyKey, metaProblem } from '../../protocol/meta-keys.ts';
import type { Invocation } from '../../server/features/invocation.ts';

/** Keys that belong to the connection of the caller. */
const ofConnection: ReadonlySet<string> = new Set(['progressToken', 'authorization', idempotencyKey]);
const reserved = 'io.modelcontextprotocol/';

/** Those of a trace: a gateway that is traced has spans of its own between its caller and the upstream. */
const ofTrace: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** What is for the upstream. The keys of the protocol are made anew for its connection. */
export function forwardedMeta(meta: Fields, isTraced: boolean): Fields | undefined {
  const entries = Object.entries(meta).filter(
    ([key, value]) =>
      !ofConnection.has(key) &&
      !(isTraced && ofTrace.has(key)) &&
      !key.startsWith(reserved) &&
      metaProblem({ [key]: value }) === undefined,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const sha256 = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(canonicalJson(parts)).digest('base64url');

/** Callers without a principal are distinguished by their connection. */
const callerOf = ({ context: { by } }: Invocation): readonly unknown[] =>
  by.principal === undefined ? ['connection', by.connectionKey ?? ''] : ['principal', by.principal.key];

/** An upstream that cannot distinguish callers must not give one the result of another. */
export function upstreamKey(invocation: Invocation): string | undefined {
  const key = invocation.call.meta[idempotencyKey];
  return typeof key === 'string' ? sha256(callerOf(invocation), key) : undefined;
}

/** What a repeat of the call has, too: a caller that has lost a request for input sends it again. */
export function repeatOf(invocation: Invocation, upstream: string): string | undefined {
  const { method, params, meta } = invocation.call;
  const key = meta[idempotencyKey];
  if (typeof key !== 'string') return undefined;
  const { _meta, ...own } = params;
  return sha256(callerOf(invocation), key, upstream, method, own);
}
