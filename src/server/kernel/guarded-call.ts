/** A call on a server with a guard: it is admitted before its feature is looked up, and the feature may be hidden. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { GuardedCall, GuardedCaller, GuardedFeature, GuardedTask, ServerGuard } from '../../ports/guard.ts';
import type { Done, Incoming } from '../../protocol/neutral.ts';
import type { Invocation } from '../features/invocation.ts';
import { refusal } from '../features/judge.ts';
import { targetOf } from '../ports/target.ts';
import { type Registry, resourceFeature } from '../registry/registry.ts';

/**
 * `whole` has all features, `visible` those that the caller sees. Returns the error if the call may not begin, in a
 * promise only where something waits.
 */
export function admit(
  guard: ServerGuard,
  whole: Registry,
  visible: Registry,
  invocation: Invocation,
): MaybePromise<RpcError | undefined> {
  const { call, target, context, ports: caller } = invocation;
  const guarded = guard.begin({
    caller: { principal: caller.principal, address: caller.address },
    method: call.method,
    target,
    callId: context.callId,
    round: context.round,
    arguments: call.params.arguments,
    task: taskOf(invocation),
  });
  invocation.guarded = guarded;
  return mapped(
    guarded.admit(toolOf(visible, call)),
    (limited) => refusal(invocation, limited) ?? recordHidden(guarded, whole, visible, call),
  );
}

/** One path for what is hidden and what does not exist, recorded and awaited: the time of the answer would distinguish them. */
function recordHidden(
  guarded: GuardedCall,
  whole: Registry,
  visible: Registry,
  call: Incoming,
): MaybePromise<undefined> {
  if (featureOf(visible, call) !== undefined) return undefined;
  const hidden = featureOf(whole, call);
  const named = hidden ?? namedFeature(call);
  return named && mapped(guarded.hidden(named, hidden === undefined), () => undefined);
}

/** The answer to a request that runs no call; limits count it all the same. */
export async function admitAnswer(
  guard: ServerGuard | undefined,
  call: Incoming,
  { principal, address }: GuardedCaller,
  answer: Done | RpcError,
): Promise<Done | RpcError> {
  if (guard === undefined) return answer;
  const { method, params } = call;
  const callId = crypto.randomUUID();
  const caller = { principal, address };
  const guarded = guard.begin({
    caller,
    method,
    target: targetOf(call),
    callId,
    round: 0,
    arguments: params.arguments,
  });
  const settled = (await guarded.admit(undefined)) ?? answer;
  return (await guarded.settle(settled)) ?? settled;
}

/** The task that a call runs, or that it names. */
function taskOf({ call: { method, params }, ports }: Invocation): GuardedTask | undefined {
  if (ports.task !== undefined) return ports.task.describe();
  return method.startsWith('tasks/') && typeof params.taskId === 'string' ? { id: params.taskId } : undefined;
}

/** The tool that a call names, if it exists: limits may be about one. Nothing else is looked up before they are checked. */
const toolOf = ({ tools }: Registry, { method, params }: Incoming): string | undefined =>
  method === 'tools/call' && tools.has(params.name as string) ? (params.name as string) : undefined;

/** The feature that a call names, if it exists. */
function featureOf(registry: Registry, { method, params }: Incoming): GuardedFeature | undefined {
  const { tools, prompts, templates } = registry;
  switch (method) {
    case 'tools/call':
      return named(tools, params.name, (tool) => ({ tool }));
    case 'prompts/get':
      return named(prompts, params.name, (prompt) => ({ prompt }));
    case 'resources/read':
      return resourceFeature(registry, params.uri as string);
    case 'completion/complete': {
      const { type, name, uri } = params.ref as Fields;
      return type === 'ref/prompt'
        ? named(prompts, name, (prompt) => ({ prompt }))
        : named(templates, uri, (template) => ({ template }));
    }
    default:
      return undefined;
  }
}

/** The feature that a call names, whether it exists or not. */
function namedFeature({ method, params }: Incoming): GuardedFeature | undefined {
  switch (method) {
    case 'tools/call':
      return { tool: String(params.name) };
    case 'prompts/get':
      return { prompt: String(params.name) };
    case 'resources/read':
      return { resource: String(params.uri) };
    case 'completion/complete': {
      const { type, name, uri } = params.ref as Fields;
      return type === 'ref/prompt' ? { prompt: String(name) } : { template: String(uri) };
    }
    default:
      return undefined;
  }
}

const named = (
  items: ReadonlyMap<string, unknown>,
  name: unknown,
  feature: (name: string) => GuardedFeature,
): GuardedFeature | undefined => (items.has(name as string) ? feature(name as string) : undefined);

/** The resources that a call subscribes to, as far as they exist. A client may subscribe to any URI: later ones are not sent to it. */
export function subscribedFeatures(registry: Registry, { method, params }: Incoming): readonly GuardedFeature[] {
  const uris =
    method === 'resources/subscribe'
      ? [params.uri as string]
      : method === 'subscriptions/listen'
        ? ((params.notifications as { resourceSubscriptions?: readonly string[] }).resourceSubscriptions ?? [])
        : [];
  return uris.flatMap((uri) => resourceFeature(registry, uri) ?? []);
}
