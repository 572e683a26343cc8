/** Messages for servers over HTTP, each with its required headers. */

import { exchangeVersion, isSince, sessionVersions } from '../version-order.ts';
import type { Answer, Headers, Json, Sent } from './raw-http.ts';
import { type OpenResponse, open, send } from './raw-http.ts';

export const alone = exchangeVersion;
export const sessionRevisions = sessionVersions;
export const resumableRevisions = sessionRevisions.slice(1);

const prefix = 'io.modelcontextprotocol/';

/** A request without a session, with the headers that repeat its parts. */
export function lone(method: string, params: Json = {}, meta: Json = {}, id: unknown = 1) {
  const envelope = {
    [`${prefix}protocolVersion`]: alone,
    [`${prefix}clientCapabilities`]: {},
    [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
    ...meta,
  };
  const name = params.name ?? params.uri;
  const headers: Headers = {
    'mcp-protocol-version': alone,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': String(name) }),
  };
  return { headers, body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } } satisfies Json };
}

export const loneCall = (name: string, args: Json = {}, meta: Json = {}, id: unknown = 1) =>
  lone('tools/call', { name, arguments: args }, meta, id);

export const request = (method: string, params?: Json, id: unknown = 1): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
export const call = (name: string, args: Json = {}, id: unknown = 1, meta: Json = {}): Json =>
  request('tools/call', { name, arguments: args, _meta: meta }, id);
export const notification = (method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
});

export const initialize = (revision: string, capabilities: Json = {}): Json =>
  request(
    'initialize',
    { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } },
    'hello',
  );

/** A raw client in a session. */
export interface RawSession {
  readonly id: string;
  /** The answer to `initialize`. */
  readonly greeting: Answer;
  readonly headers: Headers;
  post(body: unknown, headers?: Headers): Promise<Answer>;
  open(sent: Sent): Promise<OpenResponse>;
  /** Opens the session's GET stream, or resumes a stream after `lastEventId`. */
  listen(lastEventId?: string): Promise<OpenResponse>;
  end(): Promise<Answer>;
}

interface Start {
  readonly capabilities?: Json;
  readonly headers?: Headers;
  /** Whether the client sends `notifications/initialized`. Default: true. */
  readonly isReady?: boolean;
}

export async function startSession(
  url: string,
  revision: string,
  { capabilities = {}, headers: own = {}, isReady = true }: Start = {},
): Promise<RawSession> {
  const greeting = await send(url, { body: initialize(revision, capabilities), headers: own });
  const id = String(greeting.headers['mcp-session-id']);
  const hasHeader = isSince(revision, '2025-06-18');
  const headers = { ...own, 'mcp-session-id': id, ...(hasHeader && { 'mcp-protocol-version': revision }) };
  if (isReady) await send(url, { body: notification('notifications/initialized'), headers });
  return sessionAt(url, { id, greeting, headers });
}

/** Uses an existing session at a URL. */
export const sessionAt = (
  url: string,
  { id, greeting, headers }: Pick<RawSession, 'id' | 'greeting' | 'headers'>,
): RawSession => ({
  id,
  greeting,
  headers,
  post: (body, more = {}) => send(url, { body, headers: { ...headers, ...more } }),
  open: (sent) => open(url, { ...sent, headers: { ...headers, ...sent.headers } }),
  listen: (last) =>
    open(url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream', 'last-event-id': last } }),
  end: () => send(url, { method: 'DELETE', headers }),
});
