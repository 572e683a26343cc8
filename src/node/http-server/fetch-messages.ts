/** Requests and responses of node:http as those of `fetch`, for functions from Request to Response. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export function asRequest(message: IncomingMessage, body: string, response: ServerResponse): Request {
  const { method = 'GET', url = '/', headers: received } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== '';
  const address = new URL(url, 'http://127.0.0.1');
  return new Request(address, { method, headers, signal: closed.signal, ...(hasBody && { body }) });
}

/** A function that throws, and a body that breaks, cut the connection. */
export async function sendAnswer(response: ServerResponse, answer: () => Promise<Response>): Promise<void> {
  try {
    const { status, headers, body } = await answer();
    const cookies = headers.getSetCookie();
    // Cookies are the only header of which there may be several.
    response.writeHead(status, {
      ...Object.fromEntries(headers),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    });
    response.flushHeaders();
    const reader = body?.getReader();
    response.once('close', () => void reader?.cancel().catch(() => {}));
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      if (!response.write(part.value)) await drained(response);
    response.end();
  } catch {
    response.destroy();
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
