/** Passes a call on to an upstream, under every combination of sessions and exchanges. */
import type { LogEntry } from '../../client/api/options.ts';
import { outcomeOf } from '../../client/retry/failure-outcome.ts';
import { type CallPorts, ForwardedCall, requestKeys } from '../../forwarding/forwarded-call.ts';
import { callLost } from '../../forwarding/reply-errors.ts';
import { inputRequestOf, replyErrorOf } from '../../forwarding/server-request.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { InputRequest, Round } from '../../protocol/neutral.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { done, type Invocation } from '../../server/features/invocation.ts';
import { sampledWithUris, type Uris, withUris } from '../catalogue/uris.ts';
import type { Lease } from '../connections/pool-ports.ts';
import { repeatOf } from './call-identity.ts';
import { callerError } from './errors.ts';
import { checked, type ForwardPorts, optionsOf, parkedCall } from './forward-ports.ts';
import { forwardTask, hasUpstreamTask } from './forward-task.ts';
import { heldLease, holdRound } from './held-round.ts';
import { UpstreamCall } from './upstream-call.ts';
import { needsTask } from './upstream-tasks.ts';

/** In our state: that of the upstream, which may have none. */
interface UpstreamState {
  readonly state?: string;
}

/** `params` are those that the upstream gets. */
export async function forward(
  ports: ForwardPorts,
  invocation: Invocation,
  params: Fields,
  isTask = false,
): Promise<Settled> {
  const { upstream, uris } = ports;
  try {
    const settled =
      isTask || hasUpstreamTask(invocation)
        ? await forwardTask(ports, invocation, params)
        : ((await continued(ports, invocation)) ?? (await begun(ports, invocation, params)));
    if (settled instanceof RpcError || settled.resultType !== 'complete') return settled;
    return { ...settled, by: undefined, result: withUris(invocation.call.method, settled.result, uris.outward) };
  } catch (error) {
    if (!isTask && needsTask(error)) {
      ports.tasks.learn(String(params.name));
      return forward(ports, invocation, params, true);
    }
    const required = ports.required.errorFor(invocation.context.by, error);
    const shown = required ?? callerError(upstream, error, uris.outward);
    if (shown !== error && !invocation.context.signal.aborted) ports.failed(error);
    throw shown;
  }
}

/** A call that has stayed open at the upstream since an earlier round. */
async function continued(ports: ForwardPorts, invocation: Invocation): Promise<Settled | undefined> {
  const { context, resumption } = invocation;
  if (resumption !== undefined && !context.hasRequested(requestKeys)) return undefined;
  const call = parkedCall(ports, invocation);
  if (call !== undefined) return done(await call.continue(context));
  if (resumption === undefined) return undefined;
  const elsewhere = ports.others.continue(context, resumption);
  return elsewhere === undefined ? callLost() : done(await elsewhere);
}

async function begun(ports: ForwardPorts, invocation: Invocation, params: Fields): Promise<Settled> {
  const { context } = invocation;
  for (let isRepeated = false; ; isRepeated = true) {
    const lease = (await heldLease(ports.held, context)) ?? (await ports.lend(context.by));
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

/** An upstream without sessions: its requests and its state are those of our result. */
async function inRound(ports: ForwardPorts, invocation: Invocation, params: Fields, lease: Lease): Promise<Settled> {
  const { context, call } = invocation;
  const { connection } = lease;
  const { inward, outward } = ports.uris;
  let isHeld = false;
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
    const required = invocation.requireInput(Object.fromEntries(requests), state === undefined ? {} : { state });
    isHeld = !(required instanceof RpcError) && !context.signal.aborted && holdRound(ports.held, context, lease);
    return required;
  } finally {
    if (!isHeld) lease.release();
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
  const options = optionsOf(ports, invocation, connection);
  const remote = new UpstreamCall({
    send: (method, sent, handling) => connection.client.round(method, sent, { ...options, ...handling }),
    uris,
    hasLogs: connection.isForOneOwner,
    completedLate: (elicitationId) => connection.elicitationCompleted(elicitationId),
  });
  const lease = {
    bridged: { instance: remote, answeredRoots: (roots: Fields) => connection.answeredRoots(roots) },
    release: () => release(remote.isCancelled),
  };
  const calls: CallPorts = { parked, dropped };
  try {
    await connection.useLevel(context.by.caller.logLevel);
  } catch (error) {
    release();
    throw error;
  }
  const forwarded = new ForwardedCall(calls, lease, repeatOf(invocation, upstream));
  return done(await forwarded.begin(context, call.method, params, {}));
}
