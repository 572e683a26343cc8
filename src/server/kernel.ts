/** The kernel: one call in, one outcome out. It knows neither sockets nor lifecycles, and costs no promise by itself. */
import { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Incoming } from '../protocol/neutral.ts';
import { suspension } from './asking/suspension.ts';
import type { Caller } from './caller.ts';
import { CallContext, type CallPorts, type Resumption } from './context.ts';
import { completeArgument } from './methods/completion.ts';
import { type Invocation, isUnaskable } from './methods/invocation.ts';
import { listPrompts, listResources, listTemplates, listTools } from './methods/lists.ts';
import { getPrompt } from './methods/prompts.ts';
import { readResource } from './methods/resources.ts';
import { callTool } from './methods/tools.ts';
import { runChain, type Settled } from './middleware.ts';
import type { Registry } from './registry.ts';
import type { Serving } from './serving.ts';

/** Told exactly once what a call came to. */
export type Settle = (settled: Settled | RpcError) => void;

interface Method {
  /** The capability behind which it stands. */
  readonly offered: keyof Registry['capabilities'];
  target(params: Incoming['params']): unknown;
  run(invocation: Invocation): void;
}

const nothing = (): string => '';
const name = ({ name }: Incoming['params']): unknown => name;
const uri = ({ uri }: Incoming['params']): unknown => uri;

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', { offered: 'tools', target: nothing, run: listTools }],
  ['tools/call', { offered: 'tools', target: name, run: callTool }],
  ['resources/list', { offered: 'resources', target: nothing, run: listResources }],
  ['resources/templates/list', { offered: 'resources', target: nothing, run: listTemplates }],
  ['resources/read', { offered: 'resources', target: uri, run: readResource }],
  ['prompts/list', { offered: 'prompts', target: nothing, run: listPrompts }],
  ['prompts/get', { offered: 'prompts', target: name, run: getPrompt }],
  ['completion/complete', { offered: 'completions', target: nothing, run: completeArgument }],
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
  if (method === undefined || registry.capabilities[method.offered] === undefined) {
    finish(rpcError('method-not-found', `Method not found: ${call.method}`));
    return context;
  }
  const fail = (error: unknown): void => finish(failureOf(invocation, error));
  const atEnd = (run: () => void): void => void (invoked.atEnd = run);
  const invocation: Invocation = { registry, call, context, target, ports, serving, finish, fail, atEnd };
  if (serving.middleware.length === 0) run(method, invocation);
  else chain(method, invocation, inner);
  return context;
}

function run(method: Method, invocation: Invocation): void {
  try {
    method.run(invocation);
  } catch (error) {
    invocation.fail(error);
  }
}

function chain(method: Method, invocation: Invocation, inner: { settle: Settle }): void {
  const { serving, call, target, context, finish, fail } = invocation;
  const seen = { method: call.method, target, params: call.params, context };
  runChain(serving.middleware, seen, (settle) => {
    inner.settle = settle;
    const failInside = (error: unknown): void => settle(failureOf(invocation, error));
    run(method, { ...invocation, finish: settle, fail: failInside });
  }).then(finish, fail);
}

/** A handler's own RpcError is meant for the peer; of anything else the peer learns that it happened, not what. */
function failureOf({ serving, call, target, context }: Invocation, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (isUnaskable(error)) {
    return rpcError('missing-client-capability', error.message, error.details);
  }
  if (!context.over) serving.failed(error, { method: call.method, target });
  return RpcError.from(error);
}
