/** One run of a handler of the official SDK, in the place of an instance: it gets `extra`, and what it sends goes to its call. */
import type { RemoteCall, RemoteServer, Reply } from '../forwarding/remote-call.ts';
import { type Fields, isRecord } from '../lib/values/is.ts';
import type { SdkElicitResult, SdkExtra, SdkMessage, SdkRequestOptions, SdkToolHandler } from './sdk-types.ts';

/** The error of the SDK that clients get as an error, not as a result. */
const urlElicitationRequired = -32042;

interface Waiting {
  resolve(result: Fields): void;
  reject(error: Error): void;
}

export class SdkRun implements RemoteServer {
  readonly #handler: SdkToolHandler<unknown, SdkExtra>;
  readonly #callId: string;
  readonly #abort = new AbortController();
  readonly #waiting = new Map<string | number, Waiting>();
  #requests = 0;
  #returned: Promise<unknown> = Promise.resolve();

  constructor(handler: SdkToolHandler<unknown, SdkExtra>, callId: string) {
    this.#handler = handler;
    this.#callId = callId;
  }

  send(method: string, params: Fields, call: RemoteCall, about: Fields = {}): number {
    const extra = this.#extra(method, params._meta, call, about);
    const started = Promise.resolve().then(() => this.#handler(params.arguments, extra));
    this.#returned = started.then(
      (result) => call.answered({ result: result as Fields }),
      (error: unknown) => call.answered(replyOf(error)),
    );
    return 0;
  }

  reply(id: string | number, reply: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(Object.assign(new Error(reply.error.message), reply.error));
  }

  async cancel(_id: number, reason: string): Promise<void> {
    this.#abort.abort(reason);
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
    await this.#returned;
  }

  #extra(method: string, given: unknown, call: RemoteCall, { request: req, ...about }: Fields): SdkExtra {
    const meta = isRecord(given) ? { _meta: given } : {};
    const { signal } = this.#abort;
    const notify = async ({ method: name, params = {} }: SdkMessage): Promise<void> => call.notified(name, params);
    const send = (request: SdkMessage, options?: SdkRequestOptions): Promise<Fields> =>
      this.#request(call, request, options);
    return {
      signal,
      requestId: this.#callId,
      ...meta,
      ...about,
      ...((req ?? about.authInfo) !== undefined && {
        http: { authInfo: about.authInfo, req } as SdkExtra['http'] & object,
      }),
      sendRequest: async (request, schema, options) => parsed(schema, await send(request, options)) as never,
      sendNotification: notify,
      mcpReq: {
        id: this.#callId,
        method,
        ...meta,
        signal,
        send,
        notify,
        log: (level, data, logger) => notify({ method: 'notifications/message', params: { level, data, logger } }),
        elicitInput: async (params, options) =>
          (await send({ method: 'elicitation/create', params }, options)) as unknown as SdkElicitResult,
        requestSampling: (params, options) => send({ method: 'sampling/createMessage', params }, options),
      },
    };
  }

  #request(call: RemoteCall, { method, params = {} }: SdkMessage, options?: SdkRequestOptions): Promise<Fields> {
    const id = ++this.#requests;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      options?.signal?.addEventListener(
        'abort',
        () => {
          if (!this.#waiting.delete(id)) return;
          call.withdrawn(id);
          reject(new Error(String(options.signal?.reason)));
        },
        { once: true },
      );
      call.requested({ id, method, params });
    });
  }
}

/** The SDK sends the text of an error as a result. */
function replyOf(error: unknown): Reply {
  const { code, message, data } = error as {
    readonly code?: unknown;
    readonly message?: string;
    readonly data?: unknown;
  };
  if (code === urlElicitationRequired)
    return { error: { code: urlElicitationRequired, message: String(message), data } };
  const text = error instanceof Error ? error.message : String(error);
  return { result: { content: [{ type: 'text', text }], isError: true } };
}

/** Schemas of zod are passed beside a request by handlers of SDK v1. */
const parsed = (schema: unknown, result: Fields): unknown =>
  isRecord(schema) && typeof schema.parse === 'function' ? schema.parse(result) : result;
