/** A server as a function from Request to Response, for every runtime that has those. */

import { wrong } from '../../lib/options/option-rules.ts';
import { isRequestBound } from '../../lib/time/request-bound.ts';
import { hold, joined } from '../../lib/values/byte-pieces.ts';
import type { ServerLike } from '../internals.ts';
import { createSharing, preflightHeaders, sharedWith } from './admission/cors.ts';
import { eventNameFor } from './admission/founding-clients.ts';
import { smallRequest } from './admission/gate/received-request.ts';
import { documentsOf, serveDocument } from './admission/public-documents.ts';
import { createEndpoint } from './endpoint.ts';
import { FetchResponder } from './fetch-responder.ts';
import { bodyTooLarge, encoded, type HttpRequest, isEncoded, type MakeRoom, type Refused } from './message.ts';
import type { HttpOptions } from './options.ts';
import type { HttpStats } from './reporting/dropped.ts';
import type { RevokedPrincipal } from './session/revocation.ts';
import { type HttpSettings, readHttpOptions } from './settings.ts';

/** The options of `toFetchHandler`. */
export type FetchHandlerOptions = HttpOptions<Request>;

/** A function from `Request` to `Response`. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** The current counts: sessions, streams, active calls, and dropped messages by reason. */
  stats(): HttpStats;
  /**
   * Ends the sessions, streams, running calls and tasks of a principal, at all nodes that share the store. `principal` is its
   * key, or issuer and subject. It does not refuse later requests: `authenticate` does.
   */
  revoke(principal: RevokedPrincipal): void;
  /** Refuses new requests, waits for running calls (`waitMs`, by default `timeouts.shutdownMs`), sends their results, and closes all streams. */
  close(waitMs?: number): Promise<void>;
}

/**
 * Turns a server into a function from `Request` to `Response`, for Hono, Next, workers and others. It serves every request
 * that it is called with: your router decides which paths those are.
 *
 * ```ts
 * export default { fetch: toFetchHandler(server, { allowedHosts: ['mcp.example.com'] }) };
 * ```
 */
export function toFetchHandler(server: ServerLike, options: FetchHandlerOptions = {}): FetchHandler {
  const settings = forRuntime(options, readHttpOptions('toFetchHandler()', options));
  if (settings.authenticate?.routes !== undefined) throw wrong('toFetchHandler()', 'authenticate', needsNode);
  const { maxBodyBytes } = settings.limits;
  const endpoint = createEndpoint(server, settings);
  const sharedOrigin = createSharing(settings);
  const documents = documentsOf(settings);

  function answer(request: Request, seen: FetchRequest): Promise<Response> {
    const responder = new FetchResponder(request, endpoint.queued);
    // A request whose client has disconnected is not served.
    if (!request.signal.aborted) endpoint.handle(seen, responder);
    return responder.response;
  }

  const documentFor = (request: Request): Promise<Response> | undefined => {
    if (documents === undefined) return undefined;
    const { pathname } = new URL(request.url);
    // A responder listens to the signal of its request: only a document gets one here.
    if (!documents.has(pathname)) return undefined;
    const responder = new FetchResponder(request, endpoint.queued);
    serveDocument(documents, request.method, pathname, responder);
    return responder.response;
  };

  const handle = async (request: Request): Promise<Response> => {
    const document = documentFor(request);
    if (document !== undefined) return document;
    const seen = new FetchRequest(request, maxBodyBytes);
    const origin = sharedOrigin(seen);
    if (origin === undefined) return answer(request, seen);
    const requested = request.headers.get('access-control-request-headers') ?? '';
    const response =
      request.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: preflightHeaders(requested) })
        : await answer(request, seen);
    for (const [name, value] of Object.entries(sharedWith(origin))) response.headers.set(name, value);
    return response;
  };
  return Object.assign(handle, { stats: endpoint.stats, revoke: endpoint.revoke, close: endpoint.close });
}

const needsNode =
  'have an issuer by its URL: an authorizationServer() needs requests of Node. Use serveHttp() or toNodeHandler(), or run it alone';

/**
 * On workerd a request must not resolve a promise that another request waits for, which sessions do: workerd would cancel the
 * other request.
 */
function forRuntime({ sessions }: FetchHandlerOptions, settings: HttpSettings<Request>): HttpSettings<Request> {
  if (!isRequestBound()) return settings;
  if (sessions) throw wrong('toFetchHandler()', 'sessions', 'be left out or false in a worker of Cloudflare');
  return { ...settings, hasSessions: false };
}

class FetchRequest implements HttpRequest {
  readonly method: string;
  body = '';
  principal: HttpRequest['principal'] = undefined;
  readonly eventName: string | undefined;
  readonly raw: Request;
  readonly #maxBodyBytes: number;

  constructor(request: Request, maxBodyBytes: number) {
    this.method = request.method;
    this.raw = request;
    this.#maxBodyBytes = maxBodyBytes;
    this.eventName = eventNameFor(request.method, request.url);
  }

  header(name: string): string | undefined {
    const { headers, url } = this.raw;
    // Some runtimes have the host only in the URL.
    return headers.get(name) ?? (name === 'host' ? new URL(url).host : undefined);
  }

  receive(received: (problem: Refused | undefined) => void, makeRoom: MakeRoom): void {
    const read = (body: string | Refused): void => {
      // If the client disconnected meanwhile, the response is sent already.
      if (this.raw.signal.aborted) return;
      if (typeof body !== 'string') return received(body);
      this.body = body;
      received(undefined);
    };
    void readBody(this.raw, this.#maxBodyBytes, makeRoom).then(read, () => received(bodyUsed));
  }
}

const bodyUsed: Refused = {
  status: 500,
  text: 'The request body was read before this handler: remove the body parser, or pass a clone of the request',
};

/** The text of a body, at most `maxBytes` of valid UTF-8; or why it is refused. */
async function readBody({ body, headers }: Request, maxBytes: number, makeRoom: MakeRoom): Promise<string | Refused> {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && isEncoded(encoding)) {
    await body?.cancel();
    return encoded;
  }
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel();
    return bodyTooLarge(maxBytes);
  }
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      size += part.value.byteLength;
      const refused = size > maxBytes ? bodyTooLarge(maxBytes) : size > smallRequest ? makeRoom(size) : undefined;
      if (refused !== undefined) {
        await reader?.cancel();
        return refused;
      }
      // Not as text: one that grows by a character at a time takes 30 times its length.
      hold(pieces, part.value);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(joined(pieces, size));
  } catch {
    return { status: 400, text: 'The body is incomplete or not UTF-8' };
  }
}
