/** Fetches a JSON document of an authorization server: over TLS or on this machine, without redirects, within limits. */
import { isSecureUrl } from '../secure-url.ts';

/**
 * Bytes of a document or answer of an issuer.
 * @limit auth
 * @beyond it counts as not fetched, `onWarning`
 * @code server-unavailable
 */
const maxBytes = 256 * 1024;

/**
 * How long a document or answer of an issuer may take to arrive; its metadata, of which there are up to three places, half of it.
 * @limit auth
 * @default 10 s, metadata 5 s
 * @beyond it counts as not fetched, `onWarning`
 * @code server-unavailable
 */
const fetchMs = 10_000;

/** Rejects with an error that names the URL and the reason. */
export async function fetchJson(
  url: string,
  { headers, ...more }: RequestInit = {},
  timeoutMs = fetchMs,
): Promise<Record<string, unknown>> {
  if (!isSecureUrl(url)) throw new Error(`${url} is not an https URL`);
  const signal = AbortSignal.timeout(timeoutMs);
  const init = { ...more, headers: { accept: 'application/json', ...headers } as Record<string, string> };
  const unreachable = (error: unknown): never => {
    throw new Error(`${url} cannot be reached (${reasonOf(error)})`);
  };
  const response = await fetch(url, { ...init, redirect: 'error', signal }).catch(unreachable);
  const text = await readText(response.body).catch(unreachable);
  if (text === undefined) throw new Error(`${url} has more than ${maxBytes} bytes`);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${url} did not answer with a JSON object`);
  return value as Record<string, unknown>;
}

/** The code of a network error says more than "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown; message?: unknown }; message?: unknown };
  return String(cause?.code ?? cause?.message ?? message);
}

/** The error of the parser would quote the text, which may have a token in it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` if it has too many bytes. */
async function readText(body: Response['body']): Promise<string | undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
