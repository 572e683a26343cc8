/** Sends the call of a handler to the instance of its caller, or continues the one that waits there. */

import { type CallLease, type CallPorts, ForwardedCall, requestKeys } from '../forwarding/forwarded-call.ts';
import { callLost } from '../forwarding/reply-errors.ts';
import { digestOf } from '../lib/text/canonical-json.ts';
import { type Fields, isPromiseLike } from '../lib/values/is.ts';
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import type { Principal } from '../ports/principal.ts';
import { idempotencyKey } from '../protocol/meta-keys.ts';
import type { BaseContext, Context } from '../server/definition/context.ts';
import { runOf } from '../server/features/bridged-run.ts';
import type { SourceCaller } from '../server/ports/source-caller.ts';
import type { Forward } from './features/features.ts';

export interface Forwarding {
  /** The instance of a caller, until it is released. */
  lend(caller: SourceCaller): MaybePromise<CallLease>;
  readonly calls: CallPorts;
}

export const createForward =
  ({ lend, calls }: Forwarding): Forward =>
  async (ctx, method, params) => {
    const { task, round = 0 } = ctx as Partial<Context>;
    // A handler of the official SDK must run once: what another process has begun does not begin again.
    if (task !== undefined && task.attempt > 1) throw callLost();
    const repeat = repeatOf(ctx, [calls.scope, method, params]);
    const hasAsked = round > 0 && runOf(ctx).hasRequested(requestKeys);
    const parked = hasAsked
      ? calls.parked.take((ctx as Context).callId)
      : repeat === undefined
        ? undefined
        : calls.parked.takeRepeat(repeat);
    if (parked !== undefined) return parked.continue(ctx);
    if (hasAsked) throw callLost();
    const lent = lend(runOf(ctx).by);
    const lease = isPromiseLike(lent) ? await lent : lent;
    if (ctx.signal.aborted) {
      lease.release();
      throw ctx.signal.reason;
    }
    const whole = { ...params, ...metaOf(ctx, task !== undefined) };
    return new ForwardedCall(calls, lease, repeat).begin(ctx, method, whole, extraOf(ctx));
  };

/**
 * What a call with an idempotency key is the same call by: a client that has lost a request for input sends it again, and its
 * handler must not run again.
 */
function repeatOf({ meta, caller }: BaseContext, call: readonly unknown[]): string | undefined {
  const key = meta[idempotencyKey];
  // The digest is no secret and can be made to collide: principal and key stand beside it.
  return typeof key === 'string' ? JSON.stringify([caller.principal?.key ?? '', key, digestOf(call)]) : undefined;
}

/** The keys of the protocol belong to the connection of the caller; the rest is for the handler. */
function metaOf({ meta }: BaseContext, isTask: boolean): Fields {
  const entries = Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'));
  if (isTask) entries.push(['progressToken', '']);
  return entries.length === 0 ? {} : { _meta: Object.fromEntries(entries) };
}

/** What the transports of the official SDK add to a message: the caller, and the headers of its request. */
function extraOf(ctx: BaseContext): Fields {
  const { principal } = ctx.caller;
  const { sentHeaders: headers } = runOf(ctx);
  return {
    ...(principal && { authInfo: authInfoOf(principal) }),
    // Versions 1 and 2 each read one of the two.
    ...(headers && { requestInfo: { headers }, request: new SentRequest(headers) }),
  };
}

/** The request as version 2 shows it to handlers, who read headers of it. */
class SentRequest {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  get headers(): Headers {
    return new Headers(this.#headers);
  }
}

/** The principal in the form of the official SDK. It has no token: handlers must not pass it on. */
const authInfoOf = ({ issuer, subject, client, scopes, roles, claims, expiresAt }: Principal): Fields => ({
  token: '',
  clientId: client ?? subject,
  scopes: [...scopes],
  ...(expiresAt !== undefined && { expiresAt: Math.floor(expiresAt / 1000) }),
  extra: { issuer, subject, roles: [...roles], claims },
});
