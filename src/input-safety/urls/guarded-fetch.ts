/** `fetch` under a guard: checks every hop, follows redirects itself, and bounds the time and the body. */

import { chainOf } from '../../lib/errors/printable-error.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Connections } from './connections.ts';

export interface FetchRules {
  readonly check: (url: string | URL) => URL;
  readonly connections: Connections;
  readonly maxRedirects: number;
  readonly maxResponseBytes: number;
  readonly timeoutMs: number;
}

type SentRequest = Parameters<Connections['request']>[1];
type Received = Awaited<ReturnType<Connections['request']>>;

const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([204, 205, 304]);
/** Headers that are meant for one origin. */
const originHeaders = ['authorization', 'cookie', 'proxy-authorization'];
const contentHeaders = ['content-encoding', 'content-language', 'content-length', 'content-location', 'content-type'];

export async function fetchGuarded(first: string | URL, init: RequestInit, rules: FetchRules): Promise<Response> {
  let url = rules.check(first);
  const timeout = AbortSignal.timeout(rules.timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  let { method = 'GET', body = null } = init;
  const headers = new Headers(init.headers);
  for (let hops = 0; ; hops++) {
    const sent = {
      ...init,
      method,
      headers,
      body,
      signal,
      redirect: 'manual',
      ...(body instanceof ReadableStream && halfDuplex),
    };
    const received = await rules.connections.request(url, sent as unknown as SentRequest).catch((error: unknown) => {
      throw failureOf(error, url, timeout, rules);
    });
    const next = redirects.has(received.status) ? received.headers.get('location') : null;
    if (next === null || init.redirect === 'manual') return boundedResponse(received, url, timeout, rules);
    await received.body?.cancel();
    if (init.redirect === 'error') throw redirected(url);
    if (hops === rules.maxRedirects) throw tooManyRedirects(url, rules);
    const target = rules.check(redirectTarget(next, url));
    if (target.origin !== url.origin) for (const name of originHeaders) headers.delete(name);
    if (becomesGet(received.status, method)) {
      [method, body] = ['GET', null];
      for (const name of contentHeaders) headers.delete(name);
    }
    if (body instanceof ReadableStream) throw streamRedirected(url);
    url = target;
  }
}

const halfDuplex = { duplex: 'half' };

const redirectTarget = (location: string, from: URL): string | URL => {
  try {
    return new URL(location, from);
  } catch {
    return location;
  }
};

/** By the rules of the fetch standard. */
const becomesGet = (status: number, method: string): boolean => {
  const sent = method.toUpperCase();
  return status === 303 ? sent !== 'GET' && sent !== 'HEAD' : (status === 301 || status === 302) && sent === 'POST';
};

/** The response with a body that fails beyond the limit. Bytes are counted after decompression. */
function boundedResponse(received: Received, url: URL, timeout: AbortSignal, rules: FetchRules): Response {
  const { maxResponseBytes } = rules;
  const { status, statusText, headers } = received;
  if (Number(headers.get('content-length')) > maxResponseBytes) {
    void received.body?.cancel();
    throw responseTooLarge(url, maxResponseBytes);
  }
  const body = received.body as ReadableStream<Uint8Array> | null;
  const bounded = body === null || withoutBody.has(status) ? null : boundedBody(body, url, timeout, rules);
  const response = new Response(bounded, { status, statusText, headers: new Headers([...headers]) });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}

function boundedBody(
  body: ReadableStream<Uint8Array>,
  url: URL,
  timeout: AbortSignal,
  rules: FetchRules,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = rules.maxResponseBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw failureOf(error, url, timeout, rules);
        });
        if (done) return controller.close();
        left -= value.byteLength;
        if (left >= 0) return controller.enqueue(value);
        void reader.cancel();
        throw responseTooLarge(url, rules.maxResponseBytes);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The named error for an error of undici. A cancelled request fails with the reason of its signal, as `fetch` does. */
function failureOf(error: unknown, { host }: URL, timeout: AbortSignal, { timeoutMs }: FetchRules): unknown {
  if (timeout.aborted && error === timeout.reason)
    return new TenonError('timeout', `${host} did not answer within ${timeoutMs} ms.`, {
      hint: 'Try again, or raise timeoutMs of createUrlGuard().',
    });
  const causes = chainOf(error);
  const named = causes.find((cause) => cause instanceof TenonError);
  if (named !== undefined) return named;
  const isUnknownHost = causes.some((cause) =>
    /^(?:ENOTFOUND|EAI_AGAIN)$/.test(String((cause as NodeJS.ErrnoException).code)),
  );
  if (isUnknownHost)
    return new TenonError('host-not-found', `The host ${host} has no address.`, {
      hint: 'Check the URL.',
      cause: error,
    });
  if (!(error instanceof TypeError)) return error;
  return new TenonError('unreachable', `The request to ${host} failed.`, { hint: 'Try again later.', cause: error });
}

const redirected = ({ host }: URL): TenonError =>
  new TenonError('too-many-redirects', `${host} redirects, and the request has redirect: 'error'.`, {
    hint: "Request the final URL, or leave out redirect: 'error'.",
  });

const tooManyRedirects = ({ host }: URL, { maxRedirects }: FetchRules): TenonError =>
  new TenonError('too-many-redirects', `${host} redirects more than ${maxRedirects} times.`, {
    hint: 'Request the final URL.',
  });

const streamRedirected = ({ host }: URL): TenonError =>
  new TenonError('too-many-redirects', `${host} redirects a request whose body is a stream.`, {
    hint: 'Send the body as a text or bytes: a stream can be read only once.',
  });

const responseTooLarge = ({ host }: URL, maxResponseBytes: number): TenonError =>
  new TenonError('response-too-large', `The response of ${host} has more than ${maxResponseBytes} bytes.`, {
    hint: 'Request less, or raise maxResponseBytes of createUrlGuard().',
    details: { maxResponseBytes },
  });
