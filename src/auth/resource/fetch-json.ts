/** Fetches a JSON document of an authorization server: over TLS or on this machine, without redirects, within limits. */
import { isSecureUrl } from '../secure-url.ts';

const maxBytes = 256 * 1024;
const timeoutMs = 10_000;

/** Rejects with an error that names the URL and the reason. */
export async function fetchJson(url: string): Promise<Record<string, unknown>> {
  if (!isSecureUrl(url)) throw new Error(`${url} is not an https URL`);
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
  const text = await readText(response);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${url} is not an object`);
  return value as Record<string, unknown>;
}

async function readText({ body, url }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      throw new Error(`${url} has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
