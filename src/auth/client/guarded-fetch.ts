/** The one fetch of the OAuth client: over TLS or on this machine, without redirects, within limits of size and time. */
import { isLoopback, isSecureUrl } from '../secure-url.ts';
import { withTimeLimit } from './time-limit.ts';

/**
 * Bytes of a response of an authorization server.
 * @limit credentials
 * @beyond the step fails
 * @code authorization-failed
 */
const maxBytes = 256 * 1024;

/** The requests that OAuth needs, as oauth4webapi makes them. */
export interface GuardedInit {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | undefined;
  readonly body?: BodyInit | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** There was no answer, which may be different a moment later. */
export class UnreachableError extends Error {}

/** It redirects, which is not followed. */
export class RedirectedError extends Error {
  readonly location: string;

  constructor(status: number, location: string) {
    super(`It redirects (${status}), which is not followed.`);
    this.location = location;
  }
}

/** Rejects with an error whose message completes "… ". Responses are complete. */
export type GuardedFetch = (url: string, init?: GuardedInit) => Promise<Response>;

export interface FetchOptions {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly timeoutMs: number;
  /** The MCP server. Only one on this machine may name URLs of this machine without TLS. */
  readonly serverUrl: string;
}

export function createGuardedFetch({ fetch: send, timeoutMs, serverUrl }: FetchOptions): GuardedFetch {
  const isLocal = isLoopback(new URL(serverUrl));
  return async (url, { signal, ...init } = {}) => {
    if (!isSecureUrl(url)) throw new Error('It is not an https URL.');
    if (url.startsWith('http:') && !isLocal) throw new Error('A server on another machine must not name http URLs.');
    const late = (): Error => new UnreachableError(`It did not answer within ${timeoutMs} ms.`);
    return withTimeLimit(timeoutMs, signal, late, async (own) => {
      const sent = { ...init, redirect: 'manual', signal: own } as RequestInit;
      return completed(await send(url, sent).catch((error) => Promise.reject(named(error))));
    });
  };
}

/** The same response with its whole body: who processes it may read it when it likes. */
async function completed(response: Response): Promise<Response> {
  const { status, statusText, headers, body } = response;
  if (status < 200 || status > 599) throw new Error('It redirects, which is not followed.');
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      throw new Error(`It answered with more than ${maxBytes} bytes.`);
    }
    parts.push(part.value);
  }
  if (status >= 300 && status < 400) throw new RedirectedError(status, headers.get('location') ?? '');
  const isEmpty = status === 204 || status === 205;
  return new Response(isEmpty ? null : new Blob(parts as BlobPart[]), { status, statusText, headers });
}

/** The code of a network error says more than "fetch failed". */
function named(error: unknown): Error {
  const { cause, message } = error as { cause?: { code?: unknown; message?: unknown }; message?: string };
  if (typeof cause?.code === 'string')
    return new UnreachableError(`It cannot be reached (${cause.code}).`, { cause: error });
  if (message === 'fetch failed') return new UnreachableError('It cannot be reached.', { cause: error });
  return new Error(message ?? String(error), { cause: error });
}

/** The JSON object of a response, if it has one. */
export async function objectIn(response: Response): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = await response.json();
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
