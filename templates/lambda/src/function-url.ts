/** What a function URL sends to the function, and what the runtime offers it for streaming. */
import type { Writable } from 'node:stream';

/** The event of a function URL, version 2.0: what is used of it. */
export interface FunctionUrlEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

declare global {
  /** Set by the runtime of Lambda for Node. */
  var awslambda: {
    streamifyResponse<Event>(handler: (event: Event, output: Writable) => Promise<void>): unknown;
    readonly HttpResponseStream: {
      from(output: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
    };
  };
}

export function toRequest({
  rawPath,
  rawQueryString,
  headers,
  requestContext,
  body,
  isBase64Encoded,
}: FunctionUrlEvent): Request {
  const { method } = requestContext.http;
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`;
  // A request with one of these methods cannot have a body, whatever a client sends.
  const isBodiless = body === undefined || method === 'GET' || method === 'HEAD';
  const sent = isBodiless ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return new Request(`https://${headers.host}${rawPath}${query}`, { method, headers, body: sent });
}
