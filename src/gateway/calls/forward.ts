/** Passes a call on to an upstream, under every combination of sessions and exchanges. */
import type { RoundOptions } from '../../client/api/client.ts';
import type { LogEntry } from '../../client/api/options.ts';
import { outcomeOf } from '../../client/retry/failure-outcome.ts';
import { type CallPorts, ForwardedCall, requestKeys } from '../../forwarding/forwarded-call.ts';
import type { ParkedCalls } from '../../forwarding/parked-calls.ts';
import { callLost } from '../../forwarding/reply-errors.ts';
import { inputRequestOf, replyErrorOf } from '../../forwarding/server-request.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { InputRequest, Round } from '../../protocol/neutral.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { done, type Invocation } from '../../server/features/invocation.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import type { Lease } from '../connections/pool.ts';
import { forwardedMeta, repeatOf, upstreamKey } from './call-identity.ts';
import { callerError } from './errors.ts';
import { UpstreamCall } from './upstream-call.ts';
import { sampledWithUris, type Uris, withUris } from './uris.ts';

/** What calls of one upstream need. */
export interface ForwardPorts {
  readonly upstream: string;
  readonly uris: Uris;
  /** How long a call waits without a message of the upstream. */
  readonly callMs: number;
  /** Whether the gateway has spans of its own. */
  readonly isTraced: boolean;
  readonly parked: ParkedCalls<ForwardedCall>;
  lend(caller: SourceCaller): MaybePromise<Lease>;
  dropped(method: string, reason: string): void;
  /** The cause of the error that a caller gets. */
  failed(error: unknown): void;
}

/** In our state: that of the upstream, which may have none. */
interface UpstreamState {
  readonly state?: string;
}

/** `params` are those that the upstream gets. */
export async function forward(ports: ForwardPorts, invocation: Invocation, params: Fields): Promise<Settled> {
  const { upstream, uris } = ports;
  try {
    const settled = (await continued(ports, invocation)) ?? (await begun(ports, invocation, params));
    if (settled instanceof RpcError || settled.resultType !== 'complete') return settled;
    return { ...settled, by: undefined, result: withUris(invocation.call.method, settled.result, uris.outward) };
  } catch (error) {
    const shown = callerError(upstream, error, uris.outward);
    if (shown !== error && !invocation.context.signal.aborted) ports.failed(error);
    throw shown;
  }
}

/** A call that has stayed open at the upstream since an earlier round. */
async function continued({ parked, upstream }: ForwardPorts, invocation: Invocation): Promise<Settled | undefined> {
  const { context, resumption } = invocation;
  if (resumption === undefined) {
    const repeat = repeatOf(invocation, upstream);
    const call = repeat === undefined ? undefined : parked.takeRepeat(repeat);
    return call && done(await call.continue(context));
  }
  if (!context.hasRequested(requestKeys)) return undefined;
  const call = parked.take(context.callId);
  return call === undefined ? callLost() : done(await call.continue(context));
}

async function begun(ports: ForwardPorts, invocation: Invocation, params: Fields): Promise<Settled> {
  const { context } = invocation;
  for (let isRepeated = false; ; isRepeated = true) {
    const lease = await ports.lend(context.by);
    if (context.signal.aborted) {
      lease.release();
      throw context.signal.reason;
    }
    if (lease.connection.lock !== undefined) await checked(lease, invocation.call.method, params);
    try {
      return lease.connection.isExchange
        ? await inRound(ports, invocation, params, lease)
        : await inSession(ports, invocation, params, lease);
    } catch (error) {
      // A connection that has waited for calls may be one that the upstream has forgotten.
      const mayRepeat = !isRepeated && !lease.isFresh && outcomeOf(error) === 'unsent';
      if (!mayRepeat || context.signal.aborted || error instanceof RpcError) throw error;
    }
  }
}

/** Rejects, and gives the connection back, unless what the call names was approved. */
async function checked({ connection, release }: Lease, method: string, params: Fields): Promise<void> {
  try {
    await connection.lock?.check(method, params);
  } catch (error) {
    release();
    throw error;
  }
}

/** An upstream without sessions: its requests and its state are those of our result. */
async function inRound(
  ports: ForwardPorts,
  invocation: Invocation,
  params: Fields,
  { connection, release }: Lease,
): Promise<Settled> {
  const { context, call } = invocation;
  const { inward, outward } = ports.uris;
  try {
    const outcome = await connection.client.round(call.method, params, {
      ...optionsOf(ports, invocation, connection),
      signal: context.signal,
      onProgress: ({ progress, total, message }) => context.reportProgress(progress, total, message),
      ...(connection.isForOneOwner && {
        onLog: ({ level, data, logger }: LogEntry) => context.log(level, data, logger),
      }),
      ...roundOf(invocation, (answer) => sampledWithUris(answer, inward)),
    });
    if (outcome.resultType !== 'input_required') return outcome as Settled;
    const requests = Object.entries(outcome.inputRequests).map(([key, request]) => [
      key,
      shownRequest(request, outward),
    ]);
    const { state } = outcome;
    return invocation.requireInput(Object.fromEntries(requests), state === undefined ? {} : { state });
  } finally {
    release();
  }
}

function shownRequest(request: InputRequest, outward: Uris['outward']): InputRequest {
  const { method, params = {} } = request;
  if (method === samplingMethod) return { method, params: sampledWithUris(params, outward) };
  // Newer versions have no ID, which callers of older ones know an elicitation by.
  const named = params.mode === 'url' && { elicitationId: crypto.randomUUID() };
  return inputRequestOf({ id: 0, method, params: { ...named, ...params } });
}

/** The answers of the caller. One that it has refused ends the call, as it does at the upstream itself. */
function roundOf({ resumption }: Invocation, inward: (answer: Fields) => Fields): { readonly round?: Round } {
  const own = resumption?.journal.own as UpstreamState | undefined;
  if (own === undefined) return {};
  const answers = Object.entries(resumption?.returned ?? {}).map(([key, answer]) => {
    if (!(answer instanceof Error)) return [key, inward(answer as Fields)];
    const { code, message, data } = replyErrorOf(answer);
    throw new RpcError(code, message, data);
  });
  return { round: { answers: Object.fromEntries(answers), ...own } };
}

/** An upstream in a session: the call stays open there while its caller answers. */
async function inSession(
  ports: ForwardPorts,
  invocation: Invocation,
  params: Fields,
  { connection, release }: Lease,
): Promise<Settled> {
  const { context, call } = invocation;
  const { uris, parked, dropped, upstream } = ports;
  const remote = new UpstreamCall({
    client: connection.client,
    options: optionsOf(ports, invocation, connection),
    uris,
    hasLogs: connection.isForOneOwner,
    completedLate: (elicitationId) => connection.elicitationCompleted(elicitationId),
  });
  const lease = {
    bridged: { instance: remote, answeredRoots: (roots: Fields) => connection.answeredRoots(roots) },
    release: () => release(remote.isCancelled),
  };
  const calls: CallPorts = { parked, dropped };
  await connection.useLevel(context.by.caller.logLevel);
  const forwarded = new ForwardedCall(calls, lease, repeatOf(invocation, upstream));
  return done(await forwarded.begin(context, call.method, params, {}));
}

function optionsOf({ callMs, isTraced }: ForwardPorts, invocation: Invocation, { isExchange }: UpstreamConnection): RoundOptions {
  const { call, caller } = invocation;
  const meta = forwardedMeta(call.meta, isTraced);
  const key = upstreamKey(invocation);
  const { logLevel } = caller;
  return {
    timeoutMs: callMs,
    ...(meta && { meta }),
    ...(key !== undefined && { idempotencyKey: key }),
    ...(isExchange && logLevel !== undefined && { logLevel }),
    // What may have run is not sent again; a task would outlive the call.
    ...(call.method === 'tools/call' && { retryable: false, task: false }),
  };
}
