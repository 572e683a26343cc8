/** `sdkHandler()`: a tool handler of the official SDK as a handler of Tenon, which still runs once. */
import { createDeadlines } from '../lib/time/deadlines.ts';
import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';
import type { Context } from '../server/definition/context.ts';
import { toolResult, type WholeResult } from '../server/definition/returns.ts';
import { createForward } from './forward.ts';
import type { CallTarget, InstanceCall, Reply, ReplyError } from './instance.ts';
import { ParkedCalls } from './parked-calls.ts';
import { fromReply } from './reply-errors.ts';

/** How long a client may continue a call of a handler: as long as a request state is valid by default. */
const parkedMs = 15 * 60_000;

/** A handler of a tool of the official SDK. */
// oxlint-disable-next-line typescript/no-explicit-any -- the SDKs have types of their own for the second argument.
export type SdkToolHandler<Args> = (args: Args, extra: any) => unknown;

/**
 * Takes a tool handler of the official SDK, version 1 or 2, with its second argument: `signal`, `sendRequest`,
 * `sendNotification`, `authInfo`, `_meta`, and `mcpReq` and `http` of version 2. It runs once, also where the client answers
 * in another round.
 *
 * ```ts
 * tool({ inputSchema: z.object({ city: z.string() }) }, sdkHandler(async ({ city }, { signal }) => …));
 * ```
 */
export function sdkHandler<Args>(handler: SdkToolHandler<Args>): (args: Args, ctx: Context) => Promise<WholeResult> {
  const dropped = (): void => {};
  const forward = createForward({
    pool: {
      lend: async () => ({ instance: new HandlerRun(handler as SdkToolHandler<unknown>), release: dropped }),
      ended: dropped,
    },
    open: () => Promise.reject(new Error('A handler has no instance.')),
    calls: { parked: new ParkedCalls(createDeadlines(), parkedMs), dropped },
  });
  return async (args, ctx) => toolResult((await forward(ctx, 'tools/call', { arguments: args })) as never);
}

interface Waiting {
  resolve(result: Fields): void;
  reject(error: Error): void;
}

/** One run of a handler, in the place of an instance. */
class HandlerRun implements CallTarget {
  readonly #handler: SdkToolHandler<unknown>;
  readonly #controller = new AbortController();
  readonly #waiting = new Map<string | number, Waiting>();
  #requests = 0;

  constructor(handler: SdkToolHandler<unknown>) {
    this.#handler = handler;
  }

  send(_method: string, { arguments: args, _meta }: Fields, call: InstanceCall, extra: Fields = {}): number {
    const run = async (): Promise<Fields> =>
      (await this.#handler(args, this.#extraOf(call, isRecord(_meta) ? _meta : undefined, extra))) as Fields;
    run().then(
      (result) => call.answered({ result }),
      (error: unknown) => call.answered(failureOf(error)),
    );
    return 1;
  }

  reply(id: string | number, reply: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(fromReply(reply.error));
  }

  cancel(_id: number, reason: string): void {
    this.#controller.abort(reason);
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }

  /** The second argument in both versions. */
  #extraOf(call: InstanceCall, _meta: Fields | undefined, { authInfo }: Fields): Fields {
    const { signal } = this.#controller;
    const request = (method: string, params: Fields = {}): Promise<Fields> =>
      new Promise((resolve, reject) => {
        const id = ++this.#requests;
        this.#waiting.set(id, { resolve, reject });
        call.requested({ id, method, params });
      });
    const sendRequest = async (
      { method, params }: { readonly method: string; readonly params?: Fields },
      schema?: { parse?(value: unknown): unknown },
    ): Promise<unknown> => {
      const result = await request(method, params);
      return schema?.parse === undefined ? result : schema.parse(result);
    };
    const sendNotification = async ({ method, params = {} }: { method: string; params?: Fields }): Promise<void> =>
      call.notified(method, params);
    const log = async (level: string, data: unknown, logger?: string): Promise<void> =>
      call.notified('notifications/message', { level, data, logger });
    return {
      signal,
      requestId: 1,
      sendRequest,
      sendNotification,
      ...(_meta !== undefined && { _meta }),
      ...(authInfo !== undefined && { authInfo, http: { authInfo } }),
      mcpReq: {
        id: 1,
        method: 'tools/call',
        signal,
        ...(_meta !== undefined && { _meta }),
        send: sendRequest,
        notify: sendNotification,
        log,
        elicitInput: (params: Fields) => request('elicitation/create', params),
        requestSampling: (params: Fields) => request('sampling/createMessage', params),
      },
    };
  }
}

/** What a handler throws is a result with `isError`, as in the official SDK, except for URLs that have to be opened first. */
function failureOf(error: unknown): Reply {
  const { code, message, data } = (isRecord(error) || error instanceof Error ? error : {}) as Partial<ReplyError>;
  if (code === urlsRequired) return { error: { code, message: message ?? 'URLs must be opened first', data } };
  return { result: { content: [{ type: 'text', text: message ?? String(error) }], isError: true } };
}

/** The number of the official SDK for URLs that the user must open before the call. */
const urlsRequired = -32042;
