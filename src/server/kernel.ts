/** The kernel: one call in, one outcome out. It knows neither sockets nor lifecycles, and costs no promise by itself. */
import { RpcError } from '../jsonrpc/errors.ts';
import { rpcError } from '../protocol/errors.ts';
import type { Fields, Incoming, Outcome } from '../protocol/neutral.ts';
import { issuesText } from '../schema/issues.ts';
import type { Validated } from '../schema/reading.ts';
import type { Caller } from './caller.ts';
import { blocksOf, type Context, isContent } from './definition.ts';
import type { ReadyTool, Registry } from './registry.ts';

/** Told exactly once what a call came to. */
export type Settle = (outcome: Outcome | RpcError) => void;

export interface KernelPorts {
  /** Hears of what a handler threw and no peer may see. */
  failed?(error: unknown, call: Incoming): void;
}

type Method = (registry: Registry, call: Incoming, context: Context, settle: Settle, ports: KernelPorts) => void;

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['tools/list', (registry, _call, _context, settle) => settle(done({ tools: records(registry.tools) }))],
  ['tools/call', callTool],
  ['resources/list', (registry, _call, _context, settle) => settle(done({ resources: records(registry.resources) }))],
  ['resources/read', readResource],
]);

const done = (result: Fields): Outcome => ({ kind: 'done', result });
const records = (items: ReadonlyMap<string, { readonly record: Fields }>): Fields[] =>
  [...items.values()].map(({ record }) => record);

/** Runs one call for one caller and settles it, at once where the handler gives a plain value. */
export function handle(
  registry: Registry,
  call: Incoming,
  _caller: Caller,
  context: Context,
  settle: Settle,
  ports: KernelPorts = {},
): void {
  const method = methods.get(call.method);
  if (method === undefined) return settle(rpcError('method-not-found', `Method not found: ${call.method}`));
  method(registry, call, context, settle, ports);
}

/** Goes on with a value now, or when its promise has settled; a throw of any kind, in `proceed` too, goes to `fail`. */
function whenSettled<T>(
  start: () => T | Promise<T>,
  proceed: (value: T) => void,
  fail: (error: unknown) => void,
): void {
  try {
    const value = start();
    if (value instanceof Promise) value.then(proceed).catch(fail);
    else proceed(value);
  } catch (error) {
    fail(error);
  }
}

function callTool(registry: Registry, call: Incoming, context: Context, settle: Settle, ports: KernelPorts): void {
  const { name, arguments: given = {} } = call.params;
  const tool = registry.tools.get(name as string);
  if (tool === undefined) {
    return settle(
      rpcError('tool-not-found', `Unknown tool: ${String(name)}`, { availableTools: [...registry.tools.keys()] }),
    );
  }
  const fail = (error: unknown): void => settle(toolFailure(tool, error, call, ports));
  const run = (input: unknown): void =>
    whenSettled(
      () => tool.run(input as never, context),
      (value) => finish(tool, value, settle, fail),
      fail,
    );
  if (tool.input === undefined) return run(given);
  const { validate } = tool.input;
  const judge = (verdict: Validated): void =>
    verdict.ok ? run(verdict.value) : settle(isError(`Invalid arguments: ${issuesText(verdict.issues)}`));
  whenSettled(() => validate(given), judge, fail);
}

function finish(tool: ReadyTool, value: unknown, settle: Settle, fail: (error: unknown) => void): void {
  if (tool.output === undefined) {
    if (typeof value === 'string') return settle(done({ content: [{ type: 'text', text: value }] }));
    if (isContent(value)) return settle(done({ content: blocksOf(value) as unknown[] }));
    return fail(new Error(`tools.${tool.name}: a handler without output schema returns a string or content(…).`));
  }
  const judge = (verdict: Validated): void => {
    if (!verdict.ok) return fail(new Error(`tools.${tool.name}: the output is invalid: ${issuesText(verdict.issues)}`));
    const content = [{ type: 'text', text: JSON.stringify(verdict.value) }];
    settle({ kind: 'done', result: { content, structuredContent: verdict.value }, outputRoot: tool.outputRoot });
  };
  const { validate } = tool.output;
  whenSettled(() => validate(value), judge, fail);
}

const isError = (text: string): Outcome => done({ content: [{ type: 'text', text }], isError: true });

/** A handler's own RpcError is meant for the peer; of anything else the peer learns that it happened, not what. */
function toolFailure(tool: ReadyTool, error: unknown, call: Incoming, ports: KernelPorts): Outcome | RpcError {
  if (error instanceof RpcError) return error;
  ports.failed?.(error, call);
  return isError(`The tool ${tool.name} failed.`);
}

function readResource(registry: Registry, call: Incoming, context: Context, settle: Settle, ports: KernelPorts): void {
  const uri = call.params.uri as string;
  const resource = registry.resources.get(uri);
  if (resource === undefined) return settle(rpcError('resource-not-found', 'Resource not found', { uri }));
  const { mimeType } = resource.record;
  const fail = (error: unknown): void => {
    if (!(error instanceof RpcError)) ports.failed?.(error, call);
    settle(RpcError.from(error));
  };
  whenSettled(
    () => resource.read(context),
    (body) => {
      if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
        return fail(new Error(`resources[${JSON.stringify(uri)}]: a resource gives a string or a Uint8Array.`));
      }
      const part = typeof body === 'string' ? { text: body } : { blob: base64(body) };
      settle(done({ contents: [{ uri, ...(mimeType === undefined ? {} : { mimeType }), ...part }] }));
    },
    fail,
  );
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
