/** `sdkHandler()`: the handler of a tool of the official SDK as the handler of a tool of Tenon. */

import { withDefaults } from '../lib/options/read-options.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import type { Fields } from '../lib/values/is.ts';
import type { CallToolResult } from '../protocol/generated/types/records.ts';
import type { Context } from '../server/definition/context.ts';
import { toolResult, type WholeResult } from '../server/definition/returns.ts';
import { runOf } from '../server/features/bridged-run.ts';
import type { ServerOptions } from '../server/options.ts';
import { requestStateOptions } from '../server/ports/option-groups.table.ts';
import type { BridgedCall } from './bridged-call.ts';
import { createForward } from './forward.ts';
import { ParkedCalls } from './parked-calls.ts';
import { SdkRun } from './sdk-run.ts';

/** A content block, as handlers of the SDK write it. */
export interface SdkContent {
  /** The kind of the block. */
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What handlers of the SDK return. */
export interface SdkResult {
  /** The content of the result. */
  readonly content?: readonly SdkContent[] | undefined;
  /** The structured result. */
  readonly structuredContent?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the tool failed. */
  readonly isError?: boolean | undefined;
  /** Extra fields for clients. */
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A message that a handler sends. */
export interface SdkMessage {
  /** The method of the message. */
  readonly method: string;
  /** Its parameters. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of a request of a handler. */
export interface SdkRequestOptions {
  /** Aborted when the handler no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

/** Parses the result of a request; a schema of zod is one. */
export interface SdkResultSchema<T> {
  /** Returns the result, or throws. */
  parse(result: unknown): T;
}

/** What the user did with an elicitation. */
export interface SdkElicitResult {
  /** `accept`, `decline` or `cancel`. */
  readonly action: string;
  /** What the user entered. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** The second argument of handlers: `extra` of SDK v1; `mcpReq` is that of v2. */
export interface SdkExtra {
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The ID of the call. */
  readonly requestId: string;
  /** The `_meta` of the request. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The caller, if there is a principal. It has no token. */
  readonly authInfo?: Readonly<Record<string, unknown>>;
  /** The same, as SDK v2 has it. */
  readonly http?: {
    /** The caller. */
    readonly authInfo: Readonly<Record<string, unknown>>;
  };
  /** Asks the client for input: elicitation, sampling, roots. `schema` parses the result. */
  sendRequest<T = Readonly<Record<string, unknown>>>(
    request: SdkMessage,
    schema?: SdkResultSchema<T>,
    options?: SdkRequestOptions,
  ): Promise<T>;
  /** Sends progress or a log message. */
  sendNotification(notification: SdkMessage): Promise<void>;
  /** The same, as SDK v2 has it. */
  readonly mcpReq: {
    /** The ID of the call. */
    readonly id: string;
    /** The method of the call. */
    readonly method: string;
    /** The `_meta` of the request. */
    readonly _meta?: Readonly<Record<string, unknown>>;
    /** Aborted when the call is cancelled. */
    readonly signal: AbortSignal;
    /** Asks the client for input. */
    send(request: SdkMessage, options?: SdkRequestOptions): Promise<Readonly<Record<string, unknown>>>;
    /** Sends progress or a log message. */
    notify(notification: SdkMessage): Promise<void>;
    /** Sends a log message. */
    log(level: string, data: unknown, logger?: string): Promise<void>;
    /** Asks the user to fill in a form, or to open a URL. */
    elicitInput(params: Readonly<Record<string, unknown>>, options?: SdkRequestOptions): Promise<SdkElicitResult>;
    /** Asks the client's model for a message. */
    requestSampling(
      params: Readonly<Record<string, unknown>>,
      options?: SdkRequestOptions,
    ): Promise<Readonly<Record<string, unknown>>>;
  };
}

/** A handler of the SDK, called with the arguments and `extra`. */
export type SdkToolHandler<Args, Extra> = (args: Args, extra: Extra) => SdkResult | Promise<SdkResult>;

/**
 * Runs the handler of a tool of the official SDK, unchanged: `tool(config, sdkHandler(handler))`. It runs once for each
 * call, under every protocol version: where an answer of the client begins a new run, the handler waits in between. The
 * text of an error that it throws reaches the client, as with the SDK.
 *
 * ```ts
 * tool({ inputSchema: z.object({ city: z.string() }) }, sdkHandler(({ city }) => ({ content: [{ type: 'text', text: city }] })));
 * ```
 */
export function sdkHandler<Args, Extra = SdkExtra>(
  handler: SdkToolHandler<Args, Extra>,
): (args: Args, context: Context) => Promise<WholeResult> {
  const scope = ++handlers;
  const run = (callId: string): SdkRun => new SdkRun(handler as SdkToolHandler<unknown, SdkExtra>, callId);
  return async (args, ctx) => {
    const lease = async () => ({ instance: run(ctx.callId), release: () => {} });
    const calls = { parked: parkedCallsOf(runOf(ctx).server), scope, dropped: () => {} };
    const forward = createForward({ pool: { lend: lease }, open: neverOpened, calls });
    const result = await forward(ctx, 'tools/call', { arguments: args } as Fields);
    return toolResult({ ...result, content: result.content ?? [] } as CallToolResult);
  };
}

/** How many handlers there are: each has a number. */
let handlers = 0;

/** All handlers of a server share the room for calls that wait. */
const parkedCalls = new WeakMap<object, ParkedCalls<BridgedCall>>();

function parkedCallsOf(server: object): ParkedCalls<BridgedCall> {
  const known = parkedCalls.get(server);
  if (known !== undefined) return known;
  const made = new ParkedCalls<BridgedCall>(createDeadlines(), withDefaults(requestStateOptions, requestState).ttlMs);
  parkedCalls.set(server, made);
  return made;
}

/** How long a client may take for an answer is not known here: the default of servers. */
const requestState: ServerOptions['requestState'] = {};

const neverOpened = (): Promise<never> => Promise.reject(new Error('A handler has no instance.'));
