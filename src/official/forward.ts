/** Sends the call of a handler to the instance of its caller, or continues the one that waits there. */
import { digestOf } from '../lib/text/canonical-json.ts';
import type { Fields } from '../lib/values/is.ts';
import type { Principal } from '../ports/principal.ts';
import type { BaseContext, Caller, Context } from '../server/definition/context.ts';
import { runOf } from '../server/features/bridged-run.ts';
import { BridgedCall, type CallLease, type CallPorts } from './bridged-call.ts';
import type { Forward } from './features/features.ts';
import type { Instance, Introduction } from './instance/instance.ts';
import { callLost } from './instance/reply-errors.ts';
import { requestKey } from './instance/server-request.ts';
import type { InstanceOwner } from './pool/instances.ts';

export interface Forwarding {
  readonly pool: {
    lend(owner: InstanceOwner, open: (onClose: () => void) => Promise<Instance>): Promise<CallLease>;
  };
  open(introduction: Introduction, onClose: () => void): Promise<Instance>;
  readonly calls: CallPorts;
}

export const createForward =
  ({ pool, open, calls }: Forwarding): Forward =>
  async (ctx, method, params) => {
    const { task, round = 0 } = ctx as Partial<Context>;
    // A handler of the official SDK must run once: what another process has begun does not begin again.
    if (task !== undefined && task.attempt > 1) throw callLost();
    if (round > 0 && runOf(ctx).hasRequested(requestKey(1))) {
      const parked = calls.parked.take((ctx as Context).callId);
      if (parked === undefined) throw callLost();
      return parked.continue(ctx);
    }
    const { caller } = ctx;
    const lease = await pool.lend(ownerOf(ctx), (onClose) => open(introductionOf(caller), onClose));
    if (ctx.signal.aborted) {
      lease.release();
      throw ctx.signal.reason;
    }
    const { principal } = caller;
    const authInfo = principal && { authInfo: authInfoOf(principal) };
    return new BridgedCall(calls, lease).begin(
      ctx,
      method,
      { ...params, ...metaOf(ctx, task !== undefined) },
      authInfo,
    );
  };

/** A session has its own instance; else a principal has one for each of its clients, which differ in what they support. */
function ownerOf(ctx: BaseContext): InstanceOwner {
  const connection = runOf(ctx).connectionKey;
  const { principal } = ctx.caller;
  if (connection === undefined && principal === undefined) return { connection, key: undefined };
  const owner = connection ?? `principal ${principal?.key ?? ''}`;
  return { connection, key: `${clientDigest(ctx.caller)} ${owner}` };
}

/** In a session the capabilities are the same object for every call. */
const digests = new WeakMap<object, string>();

function clientDigest({ capabilities, clientInfo }: Caller): string {
  const known = digests.get(capabilities);
  if (known !== undefined) return known;
  const digest = digestOf([capabilities, clientInfo ?? {}]);
  digests.set(capabilities, digest);
  return digest;
}

const introductionOf = ({ capabilities, clientInfo }: Caller): Introduction => {
  const { elicitation, sampling, roots } = capabilities;
  const supported = Object.entries({ elicitation, sampling, roots }).filter(([, value]) => value !== undefined);
  return { clientInfo: clientInfo ?? unknownClient, capabilities: Object.fromEntries(supported) };
};

const unknownClient = { name: 'unknown', version: '0' };

/** The keys of the protocol belong to the connection of the caller; the rest is for the handler. */
function metaOf({ meta }: BaseContext, isTask: boolean): Fields {
  const entries = Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'));
  if (isTask) entries.push(['progressToken', '']);
  return entries.length === 0 ? {} : { _meta: Object.fromEntries(entries) };
}

/** The principal in the form of the official SDK. It has no token: handlers must not pass it on. */
const authInfoOf = ({ issuer, subject, client, scopes, roles, claims, expiresAt }: Principal): Fields => ({
  token: '',
  clientId: client ?? subject,
  scopes: [...scopes],
  ...(expiresAt !== undefined && { expiresAt: Math.floor(expiresAt / 1000) }),
  extra: { issuer, subject, roles: [...roles], claims },
});
