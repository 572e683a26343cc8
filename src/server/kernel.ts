/** The kernel: one call in, one outcome out. It knows neither sockets nor lifecycles, and costs no promise by itself. */
import { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Incoming } from '../protocol/neutral.ts';
import { suspension } from './asking/suspension.ts';
import type { Caller } from './caller.ts';
import { chainFor } from './chain.ts';
import { CallContext, type CallPorts, type Resumption } from './context.ts';
import { type Invocation, isUnaskable } from './methods/invocation.ts';
import { listPrompts, listResources, listTemplates, listTools } from './methods/lists.ts';
import { toCompletable, toPrompt, toResource, toTool } from './methods/targets.ts';
import { type Middleware, runChain, type Settled } from './middleware.ts';
import type { Registry } from './registry.ts';
import type { Serving } from './serving.ts';

/** Told exactly once what a call came to. */
export type Settle = (settled: Settled | RpcError) => void;

interface Method {
  /** The capability behind which it stands, if any. */
  readonly offered: keyof Registry['capabilities'] | undefined;
  target(params: Incoming['params']): unknown;
  run(invocation: Invocation, registry: Registry): void;
}

const nothing = (): string => '';
const name = ({ name }: Incoming['params']): unknown => name;
const uri = ({ uri }: Incoming['params']): unknown => uri;
const level = ({ level }: Incoming['params']): unknown => level;
const filter = ({ notifications }: Incoming['params']): unknown => JSON.stringify(notifications);

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', { offered: 'tools', target: nothing, run: listTools }],
  ['tools/call', { offered: 'tools', target: name, run: toTool }],
  ['resources/list', { offered: 'resources', target: nothing, run: listResources }],
  ['resources/templates/list', { offered: 'resources', target: nothing, run: listTemplates }],
  ['resources/read', { offered: 'resources', target: uri, run: toResource }],
  ['prompts/list', { offered: 'prompts', target: nothing, run: listPrompts }],
  ['prompts/get', { offered: 'prompts', target: name, run: toPrompt }],
  ['completion/complete', { offered: 'completions', target: nothing, run: toCompletable }],
  ['logging/setLevel', { offered: 'logging', target: level, run: keep }],
  ['resources/subscribe', { offered: 'resources', target: uri, run: keep }],
  ['resources/unsubscribe', { offered: 'resources', target: uri, run: keep }],
  ['subscriptions/listen', { offered: undefined, target: filter, run: keep }],
]);

/** Runs one call for one caller and settles it, at once where the handler gives a plain value. */
export function handle(
  serving: Serving,
  call: Incoming,
  caller: Caller,
  ports: CallPorts,
  settle: Settle,
  resumption?: Resumption,
): CallContext {
  const registry = serving.registry();
  const method = methods.get(call.method);
  const invoked = { over: false, atEnd: (): void => {} };
  const finish: Settle = (settled) => {
    if (invoked.over) return;
    invoked.over = true;
    invoked.atEnd();
    context.finish();
    settle(settled);
  };
  const target = String(method?.target(call.params) ?? '');
  // What ends a run early passes through the chain like any other end of it.
  const inner = { settle: finish };
  const endEarly = (settled: Settled | RpcError, reason: string): void => {
    inner.settle(settled);
    context.cancel(reason);
  };
  const context: CallContext = new CallContext(caller, call, ports, resumption, {
    suspended: (questions, journal) =>
      endEarly(suspension(serving, { method: call.method, target }, questions, journal), 'the run ended to ask'),
    failed: (error) => endEarly(error, 'the call has failed'),
  });
  if (method === undefined || !isOffered(method, registry)) {
    finish(rpcError('method-not-found', `Method not found: ${call.method}`));
    return context;
  }
  const fail = (error: unknown): void => finish(failureOf(invocation, error));
  const atEnd = (run: () => void): void => void (invoked.atEnd = run);
  const { cache } = registry;
  const invocation: Invocation = { call, context, target, ports, terms: serving, cache, finish, fail, atEnd };
  const chain = chainFor(serving.middleware, registry, call);
  if (chain.length === 0) run(method, invocation, registry);
  else pass(chain, { method, invocation, registry }, inner);
  return context;
}

const isOffered = ({ offered }: Method, { capabilities }: Registry): boolean =>
  offered === undefined || capabilities[offered] !== undefined;

function run(method: Method, invocation: Invocation, registry: Registry): void {
  try {
    method.run(invocation, registry);
  } catch (error) {
    invocation.fail(error);
  }
}

/** Has the connection remember something, unless the call was given up on its way here. */
function keep({ ports, call, context, finish }: Invocation): void {
  if (ports.keep === undefined || context.over) return finish(rpcError('internal-error', 'Nothing is left to do'));
  ports.keep(call, context, finish);
}

interface Passing {
  readonly method: Method;
  readonly invocation: Invocation;
  readonly registry: Registry;
}

function pass(
  chain: readonly Middleware[],
  { method, invocation, registry }: Passing,
  inner: { settle: Settle },
): void {
  const { call, target, context, finish, fail } = invocation;
  const seen = { method: call.method, target, params: call.params, context };
  runChain(chain, seen, (settle) => {
    inner.settle = settle;
    const failInside = (error: unknown): void => settle(failureOf(invocation, error));
    run(method, { ...invocation, finish: settle, fail: failInside }, registry);
  }).then(finish, fail);
}

/** A handler's own RpcError is meant for the peer; of anything else the peer learns that it happened, not what. */
function failureOf({ terms, call, target, context }: Invocation, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (isUnaskable(error)) {
    return rpcError('missing-client-capability', error.message, error.details);
  }
  if (!context.over) terms.failed(error, { method: call.method, target });
  return RpcError.from(error);
}
