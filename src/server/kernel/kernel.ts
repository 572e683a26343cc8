/** The kernel: one call in, one outcome out. It knows neither sockets nor lifecycles. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { maxIdChars } from '../../jsonrpc/message.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { shown } from '../../lib/text/shown.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { type MaybePromise, mapped } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { ServerGuard } from '../../ports/guard.ts';
import { errorDetails } from '../../protocol/error-data.ts';
import { rpcError } from '../../protocol/errors.ts';
import { idempotencyKey } from '../../protocol/meta-keys.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { isTokenTooLong } from '../../protocol/progress.ts';
import type { Completable } from '../definition/compiled.ts';
import type { Middleware } from '../definition/middleware.ts';
import type { CallPorts, Resumption } from '../features/call-ports.ts';
import type { CallContext } from '../features/context.ts';
import { Invocation, resourceMissing } from '../features/invocation.ts';
import { startAllowed } from '../features/judge.ts';
import { limitTime } from '../features/time-limit.ts';
import { refTarget, targetRefusal } from '../ports/target.ts';
import { type Registry, resourceAt, templateAt } from '../registry/registry.ts';
import { admit, subscribedFeatures } from './guarded-call.ts';
import { listPrompts, listResources, listTemplates, listTools } from './lists.ts';
import { chainFor, runChain } from './middleware-chain.ts';
import { invalidKey, isIdempotencyKey } from './runs/idempotency.ts';
import { scopeRefusal } from './scopes.ts';
import { type Serving, visibleTo, wholeRegistry } from './serving.ts';

interface Method {
  /** The capability that the server needs for it, if any. */
  readonly capability: keyof Registry['capabilities'] | undefined;
  /** Whether it also needs `subscribe` of that capability. */
  readonly subscribes?: boolean;
  target(params: Incoming['params']): unknown;
  /** The time limit of the definition that is called; absent for requests that stay open. */
  limit?(registry: Registry, invocation: Invocation): number | undefined;
  /** Nothing for a request that stays open, and ends by `invocation.end()`. */
  run(invocation: Invocation, registry: Registry): MaybePromise<Settled | undefined>;
}

const nothing = (): string => '';
const name = ({ name }: Incoming['params']): unknown => name;
const uri = ({ uri }: Incoming['params']): unknown => uri;
const taskId = ({ taskId }: Incoming['params']): unknown => taskId;
const ref = ({ ref }: Incoming['params']): unknown => refTarget(ref);
const level = ({ level }: Incoming['params']): unknown => level;
const serverLimit = (): undefined => undefined;
const filter = ({ notifications }: Incoming['params']): unknown => JSON.stringify(notifications);

/** The time limit of the definition that is called, if it has one. */
type LimitOf = NonNullable<Method['limit']>;

const limitOfTool: LimitOf = ({ tools }, { target }) => tools.get(target)?.timeoutMs;
const limitOfPrompt: LimitOf = ({ prompts }, { target }) => prompts.get(target)?.timeoutMs;
const limitOfResource: LimitOf = (registry, { target }) => resourceAt(registry, target)?.timeoutMs;
const limitOfCompletable: LimitOf = (registry, invocation) => completableAt(registry, invocation)?.timeoutMs;

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', { capability: 'tools', target: nothing, limit: serverLimit, run: listTools }],
  ['tools/call', { capability: 'tools', target: name, limit: limitOfTool, run: callTool }],
  ['resources/list', { capability: 'resources', target: nothing, limit: serverLimit, run: listResources }],
  ['resources/templates/list', { capability: 'resources', target: nothing, limit: serverLimit, run: listTemplates }],
  ['resources/read', { capability: 'resources', target: uri, limit: limitOfResource, run: readResource }],
  ['prompts/list', { capability: 'prompts', target: nothing, limit: serverLimit, run: listPrompts }],
  ['prompts/get', { capability: 'prompts', target: name, limit: limitOfPrompt, run: getPrompt }],
  ['completion/complete', { capability: 'completions', target: ref, limit: limitOfCompletable, run: complete }],
  ['logging/setLevel', { capability: 'logging', target: level, limit: serverLimit, run: remember }],
  [
    'resources/subscribe',
    { capability: 'resources', subscribes: true, target: uri, limit: serverLimit, run: remember },
  ],
  [
    'resources/unsubscribe',
    { capability: 'resources', subscribes: true, target: uri, limit: serverLimit, run: remember },
  ],
  ['tasks/get', { capability: undefined, target: taskId, limit: serverLimit, run: serveTask }],
  ['tasks/update', { capability: undefined, target: taskId, limit: serverLimit, run: serveTask }],
  ['tasks/cancel', { capability: undefined, target: taskId, limit: serverLimit, run: serveTask }],
  ['tasks/list', { capability: undefined, target: nothing, limit: serverLimit, run: serveTask }],
  ['tasks/result', { capability: undefined, target: taskId, run: serveTask }],
  ['subscriptions/listen', { capability: undefined, target: filter, run: remember }],
]);

/** Runs one call for one caller and settles it, synchronously where the handler returns a plain value. */
export function handle(serving: Serving, call: Incoming, ports: CallPorts, resumption?: Resumption): CallContext {
  const whole = wholeRegistry(serving, ports);
  const registry = visibleTo(serving, whole, ports);
  const method: Method | undefined = methods.get(call.method) ?? registry.extensionMethods.get(call.method);
  const target = method === undefined ? '' : targetOf(method, call);
  const invocation = new Invocation(serving, call, target, registry.cache, ports, resumption);
  if (serving.guard === undefined) start(serving, method, invocation, registry);
  else startAdmitted(serving.guard, serving, method, invocation, registry, whole);
  return invocation.context;
}

function startAdmitted(
  guard: ServerGuard,
  serving: Serving,
  method: Method | undefined,
  invocation: Invocation,
  registry: Registry,
  whole: Registry,
): void {
  const fail = (error: unknown): void => invocation.end(invocation.failure(error));
  const proceed = (refused: RpcError | undefined): void => {
    if (refused === undefined) start(serving, method, invocation, registry);
    else invocation.end(refused);
  };
  try {
    const refused = admit(guard, whole, registry, invocation);
    if (isPromiseLike(refused)) refused.then(proceed).catch(fail);
    else proceed(refused);
  } catch (error) {
    fail(error);
  }
}

function start(serving: Serving, method: Method | undefined, invocation: Invocation, registry: Registry): void {
  const { call } = invocation;
  if (method === undefined || !isOffered(method, registry)) return invocation.end(notOffered(method, call.method));
  if (isTokenTooLong(call.meta.progressToken)) return invocation.end(longToken());
  const refused = targetRefusal(call.method, invocation.target, call.params);
  if (refused !== undefined) return invocation.end(refused);
  const chain = chainFor(serving.middleware, registry, call);
  if (chain.length === 0) invoke(method, invocation, registry);
  else pass(chain, method, invocation, registry);
}

function targetOf({ target }: Method, { params }: Incoming): string {
  const found = target(params);
  return typeof found === 'string' ? found : String(found ?? '');
}

/** A method that the server knows needs a capability that it does not declare. */
const notOffered = (known: Method | undefined, method: string): RpcError =>
  rpcError(
    known === undefined ? 'method-not-found' : 'capability-not-supported',
    `Method not found: ${shown(method)}`,
    {
      method: shown(method),
    },
  );

const longToken = (): RpcError =>
  rpcError('invalid-params', `params._meta.progressToken has more than ${maxIdChars} characters`);

const isOffered = ({ capability, subscribes }: Method, { capabilities }: Registry): boolean =>
  capability === undefined ||
  (capabilities[capability] !== undefined && (subscribes !== true || capabilities.resources?.subscribe === true));

function invoke(method: Method, invocation: Invocation, registry: Registry): void {
  try {
    const refused = registry.hasScopes
      ? scopeRefusal(registry, [invocation.call], invocation.ports.principal)
      : undefined;
    const outcome = refused ?? method.run(invocation, registry);
    if (isPromiseLike(outcome)) endLater(invocation, outcome);
    else if (outcome !== undefined) invocation.end(outcome);
  } catch (error) {
    invocation.end(invocation.failure(error));
  }
}

/** By `then`: an async function costs a call with an asynchronous handler 2 % more. */
function endLater(invocation: Invocation, outcome: Promise<Settled | undefined>): void {
  const fail = (error: unknown): void => invocation.end(invocation.failure(error));
  const end = (settled: Settled | undefined): void => {
    try {
      if (settled !== undefined) invocation.end(settled);
    } catch (error) {
      fail(error);
    }
  };
  outcome.then(end, fail);
}

function callTool(invocation: Invocation, registry: Registry): MaybePromise<Settled> {
  const { target } = invocation;
  const { tools } = registry;
  const tool = tools.get(target);
  if (tool !== undefined) {
    const { idempotency } = invocation.limits;
    const key = invocation.call.meta[idempotencyKey];
    if (key === undefined || (idempotency === undefined && tool.task === undefined)) return tool.serve(invocation);
    if (!isIdempotencyKey(key)) return invalidKey();
    // A guard decides with validated arguments, and a task has the key itself, so that the tool finds repeats.
    if (idempotency === undefined || invocation.guarded !== undefined || tool.task !== undefined)
      return tool.serve(invocation);
    return idempotency.serve(invocation, () => tool.serve(invocation));
  }
  // Middleware may hide tools from this caller, so that only a list that has passed it is complete.
  const mayHide = invocation.isChained || registry.hasMountChains || registry.listedTools !== undefined;
  return rpcError('tool-not-found', `Unknown tool: ${shown(target)}`, {
    toolName: shown(target),
    ...(!mayHide && { availableTools: [...tools.keys()] }),
  });
}

function getPrompt(invocation: Invocation, { prompts }: Registry): MaybePromise<Settled> {
  const { target } = invocation;
  const prompt = prompts.get(target);
  if (prompt !== undefined) return prompt.serve(invocation);
  return rpcError('prompt-not-found', `Unknown prompt: ${shown(target)}`, { promptName: shown(target) });
}

/** A fixed resource, or the first template that the URI matches. */
function readResource(invocation: Invocation, registry: Registry): MaybePromise<Settled> {
  const { target } = invocation;
  const fixed = registry.resources.get(target);
  if (fixed !== undefined) return fixed.serve(invocation);
  const found = templateAt(registry, target);
  if (found !== undefined) return found.template.serve(invocation, found.variables);
  return isInvalidUri(invocation) ? invalidUri(target) : resourceMissing(target);
}

/** Other tables have no number for an invalid URI: there it is a resource that does not exist. */
const isInvalidUri = ({ target, caller }: Invocation): boolean =>
  caller.revision.errorNumbers['invalid-resource-uri'] !== undefined && !isUrl(target);

const invalidUri = (uri: string): RpcError =>
  rpcError('invalid-resource-uri', 'Invalid resource URI', {
    uri: shown(uri),
    ...errorDetails('uri', 'expected a URI'),
  });

function complete(invocation: Invocation, registry: Registry): MaybePromise<Settled> {
  const { target } = invocation;
  const found = completableAt(registry, invocation);
  if (found !== undefined) return found.complete(invocation);
  return rpcError('invalid-params', `Unknown prompt or resource template: ${shown(target)}`);
}

const completableAt = (
  { prompts, templates }: Registry,
  { call, target }: Invocation,
): Completable<Invocation> | undefined =>
  (call.params.ref as Fields).type === 'ref/prompt' ? prompts.get(target) : templates.get(target);

/** A request about a task. */
function serveTask(invocation: Invocation): MaybePromise<Settled> {
  const { tasks } = invocation.limits;
  return tasks.isOffered ? tasks.serve(invocation) : notOffered(undefined, invocation.call.method);
}

/** Changes the state of the connection, unless the call was cancelled before. */
function remember(invocation: Invocation, registry: Registry): MaybePromise<Settled | undefined> {
  const { guarded, call } = invocation;
  const subscribed = guarded === undefined ? [] : subscribedFeatures(registry, call);
  // In the same turn: the state of a connection has the order of its messages.
  if (guarded === undefined || subscribed.length === 0) return changeState(invocation);
  return mapped(
    startAllowed(invocation, guarded, 'subscribe', subscribed, {}),
    (refused) => refused ?? changeState(invocation),
  );
}

function changeState(invocation: Invocation): MaybePromise<Settled | undefined> {
  const { ports, call, context } = invocation;
  if (ports.remember === undefined || context.finished) return rpcError('internal-error', 'The call was cancelled');
  return ports.remember(call, context, (settled) => invocation.end(settled));
}

/** The time limit includes the middleware. A call that has finished when the middleware calls `next()` is not run. */
function pass(chain: readonly Middleware[], method: Method, invocation: Invocation, registry: Registry): void {
  if (method.limit !== undefined) limitTime(invocation, method.limit(registry, invocation));
  const { call, target, context } = invocation;
  const seen = { method: call.method, target, params: call.params, ctx: context };
  const kernel = (settle: (settled: Settled) => void): void => {
    if (context.finished) return settle(rpcError('internal-error', 'The call has finished'));
    invocation.setChain(settle);
    invoke(method, invocation, registry);
  };
  void invocation.pass(runChain(chain, seen, kernel));
}
