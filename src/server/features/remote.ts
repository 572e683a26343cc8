/** Features of another server, made from their records: a call is passed on, and has the outcome that it has there. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { GuardedAction, GuardedFeature } from '../../ports/guard.ts';
import { expandTemplate } from '../../protocol/uri-template/expand.ts';
import { createMatcher } from '../../protocol/uri-template/match.ts';
import { parseUriTemplate } from '../../protocol/uri-template/parse.ts';
import type { CallableTool, Compiled, CompiledPrompt, CompiledTemplate } from '../definition/compiled.ts';
import type { CompletionValues } from '../definition/resource.ts';
import type { CompiledTask } from '../ports/call-limits.ts';
import { callInSteps, isPlainCall } from './call-steps.ts';
import { completeArgument } from './completion.ts';
import type { Invocation } from './invocation.ts';
import { startAllowed } from './judge.ts';
import { limitTime } from './time-limit.ts';

export interface RemoteFeature {
  /** As this server lists it. */
  readonly record: Fields;
  /** Names it, whatever its record says: a call that waits for input stays valid if the record changes. */
  readonly fingerprint: string;
  /** Passes the call on. The other server validates the arguments. */
  forward(invocation: Invocation): MaybePromise<Settled>;
}

const compiledOf = (remote: RemoteFeature) => ({
  source: remote,
  record: remote.record,
  fingerprint: remote.fingerprint,
  timeoutMs: undefined,
  scopes: undefined,
});

/** `task` is set if calls may run as tasks of this server. */
export function remoteTool(name: string, remote: RemoteFeature, task?: CompiledTask): CallableTool<Invocation> {
  const tool = { name, task };
  return {
    ...compiledOf(remote),
    task,
    serve(invocation) {
      limitTime(invocation, undefined);
      if (isPlainCall(invocation, tool)) return remote.forward(invocation);
      return callInSteps(invocation, tool, invocation.call.params.arguments ?? {}, () => remote.forward(invocation));
    },
  };
}

/** `completes`: whether the other server completes its arguments. */
export const remotePrompt = (name: string, remote: RemoteFeature, completes: boolean): CompiledPrompt<Invocation> => ({
  ...compiledOf(remote),
  serve: (invocation) =>
    forwarded(invocation, remote, 'get', { prompt: name }, invocation.call.params.arguments as Fields | undefined),
  completes,
  complete: (invocation) => completed(invocation, remote, { prompt: name }),
});

export const remoteResource = (uri: string, remote: RemoteFeature): Compiled<Invocation> => ({
  ...compiledOf(remote),
  serve: (invocation) => forwarded(invocation, remote, 'read', { resource: uri }),
});

/** Throws `invalid-definition` for a template that reads a URI in several ways. */
export function remoteTemplate(
  uriTemplate: string,
  remote: RemoteFeature,
  completes: boolean,
): CompiledTemplate<Invocation> {
  const parsed = parseUriTemplate(uriTemplate);
  const feature = { template: uriTemplate };
  return {
    ...compiledOf(remote),
    match: createMatcher(parsed),
    shape: uriTemplate,
    list: undefined,
    serve: (invocation, variables) =>
      forwarded(invocation, remote, 'read', { resource: invocation.target, ...feature }, variables),
    completes,
    complete: (invocation) =>
      completed(invocation, remote, feature, (variables) =>
        parsed.names.every((name) => Object.hasOwn(variables, name)) ? expandTemplate(parsed, variables) : undefined,
      ),
  };
}

function forwarded(
  invocation: Invocation,
  remote: RemoteFeature,
  action: GuardedAction,
  feature: GuardedFeature,
  args: Fields = {},
): MaybePromise<Settled> {
  limitTime(invocation, undefined);
  const { guarded } = invocation;
  if (guarded === undefined) return remote.forward(invocation);
  return mapped(
    startAllowed(invocation, guarded, action, [feature], args),
    (refused) => refused ?? mapped(remote.forward(invocation), privately),
  );
}

/** What a guard has allowed to one user is not for the others. */
const privately = (settled: Settled): Settled =>
  settled instanceof RpcError || settled.resultType !== 'complete' || settled.cache === undefined
    ? settled
    : { ...settled, cache: { ...settled.cache, scope: 'private' } };

function completed(
  invocation: Invocation,
  remote: RemoteFeature,
  feature: GuardedFeature,
  uriOf?: (variables: Readonly<Record<string, string>>) => string | undefined,
): Promise<Settled> {
  const complete = async (): Promise<CompletionValues> => {
    const settled = await remote.forward(invocation);
    if (settled instanceof RpcError) throw settled;
    return (settled as { readonly result: Fields }).result.completion as CompletionValues;
  };
  return completeArgument(invocation, { get: () => complete }, undefined, feature, uriOf);
}
