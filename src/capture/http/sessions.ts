/** An HTTP endpoint for every protocol version that only carries messages: a peer behind it answers them. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { formatEvent } from '../../transport/sse.ts';
import { EventBody } from './event-body.ts';
import type { HttpPeer } from './peer.ts';
import { HttpSession } from './session.ts';
import { valuesIn } from './values-in.ts';

/**
 * Sessions of a replay, or of `tenon record --listen`, over HTTP.
 * @limit capture
 * @beyond a further one gets 503
 */
const maxSessions = 1000;

export interface HttpSessions {
  fetch(request: Request): Promise<Response>;
  /** Ends all sessions and streams. */
  close(): void;
}

/** `openPeer` is called for each session, and once for all requests that stand alone. */
export function createHttpSessions(openPeer: () => HttpPeer): HttpSessions {
  const sessions = new Map<string, HttpSession>();
  let standAlone: HttpSession | undefined;

  function open(): { readonly id: string; readonly session: HttpSession } | undefined {
    if (sessions.size >= maxSessions) return undefined;
    const id = crypto.randomUUID();
    const session = new HttpSession(openPeer(), 'session');
    sessions.set(id, session);
    return { id, session };
  }

  function end(id: string): void {
    sessions.get(id)?.close();
    sessions.delete(id);
  }

  /** HTTP+SSE: all messages of the server are on one stream, which names the address to post to. */
  function openEvents(path: string): Response {
    const opened = open();
    if (opened === undefined) return tooManySessions();
    const { id, session } = opened;
    const stream = new EventBody(() => end(id));
    stream.write(formatEvent({ event: 'endpoint', data: `${path.replace(/sse$/, 'messages')}?session=${id}` }));
    session.listen(stream);
    return stream.response();
  }

  async function post(request: Request, key: string | null): Promise<Response> {
    const messages = messagesIn(await request.text());
    if (messages === undefined) return refuse(400, -32700, 'The body is not a JSON-RPC message');
    const known = key ?? request.headers.get('mcp-session-id');
    if (known !== null) {
      const session = sessions.get(known);
      if (session === undefined) return refuse(404, -32600, 'Unknown session');
      return key === null ? session.receive(messages, request) : session.receiveForStream(messages);
    }
    if (messages.some(({ method }) => method === 'initialize')) {
      const opened = open();
      return opened?.session.receive(messages, request, { 'mcp-session-id': opened.id }) ?? tooManySessions();
    }
    standAlone ??= new HttpSession(openPeer(), 'stand-alone');
    return standAlone.receive(messages, request);
  }

  function get({ headers }: Request, path: string): Response {
    if (path.endsWith('/sse')) return openEvents(path);
    const session = sessions.get(headers.get('mcp-session-id') ?? '');
    if (session === undefined) return new Response(null, { status: 405, headers: { allow: 'POST' } });
    const stream: EventBody = new EventBody(() => session.unlisten(stream));
    session.listen(stream);
    return stream.response();
  }

  return {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (request.method === 'POST') return post(request, searchParams.get('session'));
      if (request.method === 'GET') return get(request, pathname);
      if (request.method !== 'DELETE') return new Response(null, { status: 405 });
      const id = request.headers.get('mcp-session-id') ?? '';
      const isKnown = sessions.has(id);
      end(id);
      return new Response(null, { status: isKnown ? 204 : 404 });
    },
    close() {
      for (const id of sessions.keys()) end(id);
      standAlone?.close();
      standAlone = undefined;
    },
  };
}

function messagesIn(text: string): readonly Fields[] | undefined {
  const messages = valuesIn(text) ?? [];
  return messages.length > 0 && messages.every(isRecord) ? messages : undefined;
}

const refuse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });

const tooManySessions = (): Response => refuse(503, -32603, `There are ${maxSessions} sessions, which is the limit`);
