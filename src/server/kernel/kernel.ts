/** The kernel: one call in, one outcome out. It knows neither sockets nor lifecycles, and costs no promise by itself. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { type Middleware, runChain } from '../definition/middleware.ts';
import type { CallContext, CallPorts, Resumption } from '../features/context.ts';
import type { Invocation } from '../features/invocation.ts';
import { limitTime } from '../features/time-limit.ts';
import { type Settled } from '../ports/call-outcome.ts';
import type { Caller } from '../ports/caller.ts';
import { refTarget } from '../ports/target.ts';
import type { Registry } from '../registry/registry.ts';
import { chainFor } from './chain.ts';
import { listPrompts, listResources, listTemplates, listTools } from './lists.ts';
import { Run } from './run.ts';
import type { Serving } from './serving.ts';
import {
  limitOfCompletable,
  limitOfPrompt,
  limitOfResource,
  limitOfTool,
  toCompletable,
  toPrompt,
  toResource,
  toTool,
} from './targets.ts';

interface Method {
  /** The capability behind which it stands, if any. */
  readonly offered: keyof Registry['capabilities'] | undefined;
  target(params: Incoming['params']): unknown;
  /** The time that what is called sets itself; absent for what stays open until it is ended. */
  limit?(registry: Registry, run: Invocation): number | undefined;
  run(invocation: Invocation, registry: Registry): void;
}

const nothing = (): string => '';
const name = ({ name }: Incoming['params']): unknown => name;
const uri = ({ uri }: Incoming['params']): unknown => uri;
const ref = ({ ref }: Incoming['params']): unknown => refTarget(ref);
const level = ({ level }: Incoming['params']): unknown => level;
const noneOwn = (): undefined => undefined;
const filter = ({ notifications }: Incoming['params']): unknown => JSON.stringify(notifications);

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', { offered: 'tools', target: nothing, limit: noneOwn, run: listTools }],
  ['tools/call', { offered: 'tools', target: name, limit: limitOfTool, run: toTool }],
  ['resources/list', { offered: 'resources', target: nothing, limit: noneOwn, run: listResources }],
  ['resources/templates/list', { offered: 'resources', target: nothing, limit: noneOwn, run: listTemplates }],
  ['resources/read', { offered: 'resources', target: uri, limit: limitOfResource, run: toResource }],
  ['prompts/list', { offered: 'prompts', target: nothing, limit: noneOwn, run: listPrompts }],
  ['prompts/get', { offered: 'prompts', target: name, limit: limitOfPrompt, run: toPrompt }],
  ['completion/complete', { offered: 'completions', target: ref, limit: limitOfCompletable, run: toCompletable }],
  ['logging/setLevel', { offered: 'logging', target: level, limit: noneOwn, run: keep }],
  ['resources/subscribe', { offered: 'resources', target: uri, limit: noneOwn, run: keep }],
  ['resources/unsubscribe', { offered: 'resources', target: uri, limit: noneOwn, run: keep }],
  ['subscriptions/listen', { offered: undefined, target: filter, run: keep }],
]);

/** Runs one call for one caller and settles it, at once where the handler gives a plain value. */
export function handle(
  serving: Serving,
  call: Incoming,
  caller: Caller,
  ports: CallPorts,
  resumption?: Resumption,
): CallContext {
  const registry = serving.registry();
  const method: Method | undefined = methods.get(call.method) ?? registry.extended.get(call.method);
  const target = method === undefined ? '' : targetOf(method, call);
  const run = new Run(serving, call, target, registry.cache, caller, ports, resumption);
  if (method === undefined || !isOffered(method, registry)) {
    run.conclude(rpcError('method-not-found', `Method not found: ${call.method}`));
    return run.context;
  }
  const chain = chainFor(serving.middleware, registry, call);
  if (chain.length === 0) invoke(method, run, registry);
  else pass(chain, method, run, registry);
  return run.context;
}

function targetOf({ target }: Method, { params }: Incoming): string {
  const found = target(params);
  return typeof found === 'string' ? found : String(found ?? '');
}

const isOffered = ({ offered }: Method, { capabilities }: Registry): boolean =>
  offered === undefined || capabilities[offered] !== undefined;

function invoke(method: Method, run: Run, registry: Registry): void {
  try {
    method.run(run, registry);
  } catch (error) {
    run.fail(error);
  }
}

/** Has the connection remember something, unless the call was given up on its way here. */
function keep(run: Invocation): void {
  const { ports, call, context } = run;
  if (ports.keep === undefined || context.over) return run.finish(rpcError('internal-error', 'Nothing is left to do'));
  ports.keep(call, context, (settled) => run.finish(settled));
}

/** The time of a call begins before the chain; what comes through it too late is not begun. */
function pass(chain: readonly Middleware[], method: Method, run: Run, registry: Registry): void {
  if (method.limit !== undefined) limitTime(run, method.limit(registry, run));
  const { call, target, context } = run;
  const seen = { method: call.method, target, params: call.params, context };
  const kernel = (settle: (settled: Settled | RpcError) => void): void => {
    if (context.over) return settle(rpcError('internal-error', 'The call is over'));
    run.within(settle);
    invoke(method, run, registry);
  };
  runChain(chain, seen, kernel, run);
}
