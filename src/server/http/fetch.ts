/** A server as a function from Request to Response, for every runtime that has those. */

import { defaultLimits } from '../../jsonrpc/limits.ts';
import type { ServerLike } from '../internals.ts';
import { type CorsOptions, createSharing, preflightHeaders, sharedWith } from './admission/cors.ts';
import { eventNameFor } from './admission/founding-clients.ts';
import { createEndpoint, type HttpEndpoint } from './endpoint.ts';
import { FetchResponder } from './fetch-responder.ts';
import { encoded, type HttpRequest, isEncoded, type Refused } from './message.ts';
import { type HttpOptions, withAlikeLimits } from './options.ts';
import { checkHttpOptions } from './options-check.ts';

export interface FetchHandlerOptions extends HttpOptions, CorsOptions {
  /** Issuer and subject of whoever sends a request, as whatever stands before has found out. */
  readonly principal?: (request: Request) => string | undefined | Promise<string | undefined>;
  /** Bytes of one body. Default 4 MiB. */
  readonly maxBody?: number;
}

export interface FetchHandler {
  (request: Request): Promise<Response>;
  readonly counts: HttpEndpoint['counts'];
  readonly dropped: HttpEndpoint['dropped'];
  /** Lets no more requests in, sends the answers of calls under way, waits for them no longer than given, then ends all streams. */
  readonly close: HttpEndpoint['close'];
}

/** Serves every request that it is given: which paths those are is for the router before it to say. */
export function toFetchHandler(server: ServerLike, given: FetchHandlerOptions = {}): FetchHandler {
  checkHttpOptions('toFetchHandler', given);
  const options = withAlikeLimits(given);
  const { cors = [], allowedOrigins: origins = [] } = options;
  const endpoint = createEndpoint(server, { ...options, allowedOrigins: [...origins, ...cors] });
  const sharedOrigin = createSharing(options);

  function answer(request: Request, seen: FetchRequest): Promise<Response> {
    const responder = new FetchResponder(request);
    // A client that has disconnected already is not served.
    if (!request.signal.aborted) endpoint.handle(seen, responder);
    return responder.response;
  }

  const handle = async (request: Request): Promise<Response> => {
    const seen = new FetchRequest(request, options);
    const origin = sharedOrigin(seen);
    if (origin === undefined) return answer(request, seen);
    const asked = request.headers.get('access-control-request-headers') ?? '';
    const response =
      request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: preflightHeaders(asked) })
        : await answer(request, seen);
    for (const [name, value] of Object.entries(sharedWith(origin))) response.headers.set(name, value);
    return response;
  };
  return Object.assign(handle, { counts: endpoint.counts, dropped: endpoint.dropped, close: endpoint.close });
}

class FetchRequest implements HttpRequest {
  readonly method: string;
  body = '';
  principal: string | undefined = undefined;
  readonly eventName: string | undefined;
  readonly recognize: HttpRequest['recognize'];
  readonly #request: Request;
  readonly #maxBody: number;

  constructor(request: Request, { principal, maxBody = defaultLimits.maxMessageChars }: FetchHandlerOptions) {
    this.method = request.method;
    this.#request = request;
    this.#maxBody = maxBody;
    this.recognize = principal && (() => principal(request));
    this.eventName = eventNameFor(request.method, request.url);
  }

  header(name: string): string | undefined {
    const { headers, url } = this.#request;
    // Some runtimes have the host only in the URL.
    return headers.get(name) ?? (name === 'host' ? new URL(url).host : undefined);
  }

  receive(received: (problem: Refused | undefined) => void): void {
    const read = (body: string | Refused): void => {
      // A client that disconnected meanwhile has its response already.
      if (this.#request.signal.aborted) return;
      if (typeof body !== 'string') return received(body);
      this.body = body;
      received(undefined);
    };
    void readBody(this.#request, this.#maxBody).then(read, () => received(bodyUsed));
  }
}

const bodyUsed: Refused = {
  status: 500,
  text: 'The request body was read before this handler: remove the body parser, or pass a clone of the request',
};

/** The text of a body, bounded, whole and UTF-8; or what is wrong with it. */
async function readBody({ body, headers }: Request, maxBytes: number): Promise<string | Refused> {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && isEncoded(encoding)) {
    await body?.cancel();
    return encoded;
  }
  const tooLarge: Refused = { status: 413, text: `The body has more than ${maxBytes} bytes` };
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel();
    return tooLarge;
  }
  const reader = body?.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      size += part.value.byteLength;
      if (size > maxBytes) {
        await reader?.cancel();
        return tooLarge;
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return { status: 400, text: 'The body is incomplete or not UTF-8' };
  }
}
