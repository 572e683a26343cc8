/** Passes HTTP requests on to a server at a URL, and reports them to a tap. */
import { messagesIn } from '../../capture/replay/messages-in.ts';
import { TappedConnections } from '../../server/http/reporting/tapped-connections.ts';
import { createEventReader } from '../../transport/sse.ts';
import type { ReportTap, Tap } from '../../transport/tap.ts';

export interface ProxyOptions {
  readonly url: URL;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tap: Tap;
}

/** Hop-by-hop headers, and headers that are wrong once a body was decoded. */
const droppedHeaders: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'te',
  'transfer-encoding',
  'upgrade',
];

/**
 * Characters of a response that `tenon record` records as one message.
 * @limit capture
 * @beyond it passes, and its beginning is recorded
 */
const maxMessageChars = 16 * 1024 * 1024;

export function createHttpProxy({ url, headers, tap }: ProxyOptions): (request: Request) => Promise<Response> {
  const upstream = url;
  const connections = new TappedConnections(tap, { kind: 'open', side: 'client', transport: 'http', peer: url.href });

  return async (request) => {
    const address = addressFor(request, upstream);
    const body = await request.text();
    const known = sessionOf(request.headers, address);
    // A stream without a session is that of HTTP+SSE, which names the address to post to.
    const isSse = request.method === 'GET' && known === undefined;
    const connection = isSse ? connections.open() : connections.of(known, body);
    const { report } = connection;
    const number = ++connection.requests;
    const sent = passedHeaders(request.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const path = `${address.pathname}${address.search}`;
    report({ kind: 'http', request: number, phase: 'request', method: request.method, path, headers: texts(sent) });
    if (body !== '') report({ kind: 'message', from: 'client', text: body });
    try {
      const { method, signal } = request;
      // A redirect is passed on to the client: followed here, another server would get the headers of this one.
      const init = { method, headers: sent, signal, redirect: 'manual', ...(body !== '' && { body }) } as const;
      const response = await fetch(address, init);
      const received = passedHeaders(response.headers);
      const session = received.get('mcp-session-id');
      if (session !== null) connections.remember(session, connection);
      const { status } = response;
      report({ kind: 'http', request: number, phase: 'head', status, headers: texts(received) });
      const end = (): void => report({ kind: 'http', request: number, phase: 'end' });
      const endpoint = (data: string): void => void connections.remember(new URL(data, address).search, connection);
      const type = received.get('content-type') ?? '';
      const seen = response.body?.pipeThrough(reported(type, idIn(body), { report, end, endpoint }));
      if (seen === undefined) end();
      return new Response(seen ?? null, { status, headers: received });
    } catch (error) {
      report({ kind: 'http', request: number, phase: 'broke', text: String((error as Error).cause ?? error) });
      if (request.signal.aborted) throw error;
      return new Response(`The server at ${upstream.origin} cannot be reached.\n`, { status: 502 });
    }
  };
}

/** The addresses of HTTP+SSE are those of the server. Its origin is fixed: read as a URL, the path `//host` would name another. */
function addressFor(request: Request, server: URL): URL {
  const { pathname, search } = new URL(request.url);
  const address = new URL(server);
  if (pathname !== '/mcp') address.pathname = pathname;
  if (pathname !== '/mcp' || search !== '') address.search = search;
  return address;
}

/** HTTP+SSE has the id of its session in the address to post to. */
const sessionOf = (headers: Headers, { search }: URL): string | undefined =>
  headers.get('mcp-session-id') ?? (/session/i.test(search) ? search : undefined);

function passedHeaders(headers: Headers): Headers {
  const left = new Headers(headers);
  for (const name of droppedHeaders) left.delete(name);
  return left;
}

const texts = (headers: Headers): Record<string, string> => Object.fromEntries(headers);

interface Reports {
  readonly report: ReportTap;
  /** The address of HTTP+SSE to post to. */
  endpoint(data: string): void;
  end(): void;
}

/** Passes bytes through unchanged, and reports the messages in them. */
function reported(
  type: string,
  respondsTo: string | number | undefined,
  { report, endpoint, end }: Reports,
): TransformStream<Uint8Array, Uint8Array> {
  const message = (text: string): void =>
    report({ kind: 'message', from: 'server', text, ...(respondsTo !== undefined && { respondsTo }) });
  const decoder = new TextDecoder();
  let text = '';
  const events = createEventReader({
    event({ data, event = 'message' }) {
      if (event === 'endpoint') endpoint(data);
      else if (data !== '' && event === 'message') message(data);
    },
    onWarning: ({ message: problem }) => report({ kind: 'warning', text: problem }),
  });
  const isStream = type.startsWith('text/event-stream');
  return new TransformStream({
    transform(chunk, controller) {
      if (isStream) events.push(chunk);
      else if (text.length < maxMessageChars) text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
    flush() {
      if (type.includes('json') && text !== '') message(text);
      end();
    },
  });
}

/** The id of a request, if the text is one. */
function idIn(text: string): string | number | undefined {
  const [first] = messagesIn(text);
  return typeof first?.method === 'string' ? (first.id as string | number | undefined) : undefined;
}
