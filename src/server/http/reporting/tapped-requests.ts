/** The requests of an endpoint as a tap sees them: those of a session are a connection, and so are all that stand alone. */
import type { RequestId } from '../../../jsonrpc/message.ts';
import { longText, outlineOf } from '../../../jsonrpc/text-limits.ts';
import { createEventReader } from '../../../transport/sse.ts';
import type { Tap } from '../../../transport/tap.ts';
import { withMembers } from '../../../transport/tapped-transport.ts';
import type { EventSink, HttpHeaders, HttpRequest, HttpResponder } from '../message.ts';
import { type TappedConnection, TappedConnections } from './tapped-connections.ts';

/** The headers of a request that a tap sees: requests have no list of theirs. */
const seenHeaders = [
  'accept',
  'authorization',
  'content-type',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'user-agent',
];

type Serve = (request: HttpRequest, responder: HttpResponder) => void | Promise<void>;
type Admit = (request: HttpRequest, responder: HttpResponder, serve: Serve) => void;

/** Admits requests as before, and a tap sees them; without a tap nothing is wrapped. */
export function tappedAdmit(admit: Admit, tap: Tap | undefined): Admit {
  if (tap === undefined) return admit;
  const connections = new TappedConnections(tap, { kind: 'open', side: 'server', transport: 'http', peer: '' });
  return (request, responder, serve) => {
    const tapped = tappedRequest(connections, request, responder);
    admit(request, tapped.responder, (...args) => {
      tapped.admitted();
      return serve(...args);
    });
  };
}

interface TappedRequest {
  readonly responder: HttpResponder;
  /** The request was admitted, and its body has arrived. */
  admitted(): void;
}

function tappedRequest(connections: TappedConnections, request: HttpRequest, responder: HttpResponder): TappedRequest {
  let begun: { readonly connection: TappedConnection; readonly number: number } | undefined;
  let respondsTo: RequestId | undefined;

  /** At the latest when the response begins: a request may be refused before its body has arrived. */
  function begin(): { readonly connection: TappedConnection; readonly number: number } {
    if (begun !== undefined) return begun;
    const { method, body } = request;
    const connection = connections.of(request.header('mcp-session-id'), body);
    begun = { connection, number: ++connection.requests };
    connection.report({ kind: 'http', request: begun.number, phase: 'request', method, headers: headersOf(request) });
    if (body !== '') connection.report({ kind: 'message', from: 'client', text: body });
    respondsTo = idIn(body);
    return begun;
  }

  function head(status: number, headers: HttpHeaders): void {
    const { connection, number } = begin();
    const session = headers['mcp-session-id'];
    if (session !== undefined) connections.remember(session, connection);
    connection.report({ kind: 'http', request: number, phase: 'head', status, headers: { ...headers } });
  }

  function sent(text: string): void {
    begin().connection.report({
      kind: 'message',
      from: 'server',
      text,
      ...(respondsTo === undefined ? {} : { respondsTo }),
    });
  }

  function end(): void {
    const { connection, number } = begin();
    connection.report({ kind: 'http', request: number, phase: 'end' });
  }

  const tapped = withMembers(responder, {
    send: (own) => (status, headers, body) => {
      head(status, headers);
      if (body !== '') sent(body);
      end();
      own(status, headers, body);
    },
    stream: (own) => (headers) => {
      head(200, headers);
      return tappedSink(own(headers), sent, end);
    },
  });
  return { responder: tapped, admitted: () => void begin() };
}

/** The messages of a stream, read from its text. */
function tappedSink(sink: EventSink, sent: (text: string) => void, end: () => void): EventSink {
  const reader = createEventReader({ event: ({ data }) => void (data === '' || sent(data)), onWarning: () => {} });
  return withMembers(sink, {
    write: (own) => (text) => {
      reader.push(text);
      own(text);
    },
    end: (own) => () => {
      end();
      own();
    },
    cut: (own) => () => {
      end();
      own();
    },
  });
}

function headersOf(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of seenHeaders) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** The id of a request, if the text is one. */
function idIn(text: string): RequestId | undefined {
  try {
    // A long text is read before its limits are checked: its value could take much memory.
    const message = text.length > longText ? outlineOf(text) : JSON.parse(text);
    const { id, method } = message as { readonly id?: RequestId; readonly method?: unknown };
    return typeof method === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
