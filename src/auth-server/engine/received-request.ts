/** Requests as the flow and the engine get them: read within limits, with the URL of the issuer whatever the client sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Bytes of a request.
 * @limit auth-server
 * @beyond 413
 */
const maxRequestBytes = 16 * 1024;

/** A request that is read. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** Parameters of the URL. */
  readonly query: URLSearchParams;
  /** Headers that matter here, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly address: string;
  readonly response: ServerResponse;
  /** The request as Node has it. */
  readonly raw: IncomingMessage;
}

/** Everything else says nothing about a request, or something that anyone can claim: `Host`, `X-Forwarded-…`. */
const headerNames = [
  'accept',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-type',
  'cookie',
  'dpop',
  'origin',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
];

/** The client has gone before its request was there: there is no one to answer. */
export class Disconnected extends Error {}

/** Reads a request; `undefined` if its body is too large: answer it with `closeIfUnfinished`. Rejects with `Disconnected`. */
export async function receive(
  raw: IncomingMessage,
  response: ServerResponse,
  path: string,
  address: string,
): Promise<ReceivedRequest | undefined> {
  const body = await readText(raw);
  if (body === undefined) return undefined;
  const { originalUrl, url = '' } = raw as IncomingMessage & { originalUrl?: unknown };
  const target = typeof originalUrl === 'string' ? originalUrl : url;
  const headers = Object.fromEntries(
    headerNames.flatMap((name) => {
      const value = raw.headers[name];
      return value === undefined ? [] : [[name, [value].flat().join(', ')]];
    }),
  );
  const query = new URLSearchParams(/\?([^#]*)/.exec(target)?.[1] ?? '');
  return { method: raw.method ?? '', path, query, headers, body, address, response, raw };
}

async function readText(raw: IncomingMessage): Promise<string | undefined> {
  if (raw.readableEnded) return textOfParsed(raw);
  if (Number(raw.headers['content-length'] ?? 0) > maxRequestBytes) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    raw.on('data', (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > maxRequestBytes) resolve(undefined);
      else chunks.push(bytes);
    });
    raw.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    raw.once('error', () => reject(new Disconnected()));
    raw.once('close', () => reject(new Disconnected()));
  });
}

/** A framework has read the body before, and parsed it. */
function textOfParsed(raw: IncomingMessage): string | undefined {
  const { body } = raw as { body?: unknown };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return within(String(body));
  if (typeof body !== 'object' || body === null) return '';
  if (/\bjson\b/.test(raw.headers['content-type'] ?? '')) return within(JSON.stringify(body));
  const pairs = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return within(new URLSearchParams(pairs).toString());
}

const within = (text: string): string | undefined => (Buffer.byteLength(text) > maxRequestBytes ? undefined : text);

/** The same request for the engine, which reads it from the beginning and makes its URLs from the host. */
export function replayed(
  { method, path, query, headers, body, raw }: ReceivedRequest,
  issuer: string,
): IncomingMessage {
  const { host, protocol } = new URL(issuer);
  const search = query.size === 0 ? '' : `?${query}`;
  const bytes = Buffer.from(body);
  const hasBody = method === 'POST' || method === 'PUT';
  return Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), {
    method,
    url: `${path}${search}`,
    headers: {
      ...headers,
      host,
      // The engine trusts this one: it is not that of the client.
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(hasBody && { 'content-length': String(bytes.length) }),
    },
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket: raw.socket,
    connection: raw.socket,
  }) as unknown as IncomingMessage;
}
