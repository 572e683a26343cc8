/** A raw connection to a server: the test writes every message itself and reads the replies unchanged. */
import type { ProtocolVersion, Server } from 'tenon';
import type { AcceptOptions } from 'tenon/server';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { expect } from 'vitest';
import { exchangeVersion, isSession } from '../version-order.ts';

export type Json = Record<string, unknown>;

export interface RawConnection {
  readonly transport: Transport;
  /** The warnings that the server reported for this connection. */
  readonly warnings: unknown[];
  /** Sends a message, or text as it is. */
  send(message: unknown): void;
  /** The next message that the test has not read yet. */
  next(): Promise<Json>;
  /** Everything the server sends until it has answered all earlier messages and is known to still serve. */
  settled(): Promise<Json[]>;
}

const exchangeMeta = {
  'io.modelcontextprotocol/protocolVersion': exchangeVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Params of a request without a session, which carries its own client information. */
export const envelope = (params: Json = {}, meta: Json = {}): Json => ({
  ...params,
  _meta: { ...exchangeMeta, ...meta },
});

export const request = (id: unknown, method: string, params?: unknown): Json =>
  params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };

/** The expected error response, with or without `data`. The id is left out where the server could not read it. */
export const refused = (code: number, id?: unknown, text: unknown = expect.any(String)): Json => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: expect.objectContaining({ code, message: text }),
});

const errorsHaveId = new Set(['2024-11-05', '2025-03-26', '2025-06-18']);

/** An error without a readable id has the id null in the revisions that require an id. */
export const worded = (reply: Json, revision: string): Json =>
  'id' in reply || !errorsHaveId.has(revision) ? reply : { ...reply, id: null };

export const handshake = (revision: string): Json =>
  request('hello', 'initialize', {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });

/**
 * Sent after the tested messages and answered after them: an invalid request, because explaining its error takes the
 * longest. The answer shows that the server still serves.
 */
const barrier = request('barrier', 'tools/list', envelope({ cursor: 5 }));

export function openRaw(server: Server, options: AcceptOptions = {}): RawConnection {
  const [transport, far] = createMemoryTransports();
  const warnings: unknown[] = [];
  const received: Json[] = [];
  let wake = (): void => {};
  server.accept(far, { onWarning: (error) => warnings.push(error), ...options });
  transport.open({
    onMessage(text) {
      received.push(JSON.parse(text));
      wake();
    },
    onClose: () => wake(),
  });
  const send = (message: unknown): void =>
    transport.send(typeof message === 'string' ? message : JSON.stringify(message));
  async function next(): Promise<Json> {
    while (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return received.shift() as Json;
  }
  async function settled(): Promise<Json[]> {
    send(barrier);
    const before: Json[] = [];
    for (let one = await next(); one.id !== 'barrier'; one = await next()) before.push(one);
    return before;
  }
  return { transport, warnings, send, next, settled };
}

/** Opens a connection that is ready for requests of a revision. `ask` builds such a request. */
export async function openAt(server: Server, revision: ProtocolVersion, options: AcceptOptions = {}) {
  const raw = openRaw(server, options);
  const exchange = !isSession(revision);
  if (!exchange) {
    raw.send(handshake(revision));
    await raw.next();
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const ask = (id: unknown, method: string, params: Json = {}): Json =>
    request(id, method, exchange ? envelope(params, { 'io.modelcontextprotocol/protocolVersion': revision }) : params);
  return { ...raw, exchange, ask };
}
