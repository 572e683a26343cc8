/** A connection to a server by raw messages: what goes out is written by hand, what comes back is kept as it came. */
import type { ProtocolVersion, Server } from 'tenon';
import type { AcceptOptions } from 'tenon/server';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { expect } from 'vitest';

export type Json = Record<string, unknown>;

export interface RawConnection {
  readonly channel: Transport;
  /** What the server reported of this connection. */
  readonly faults: unknown[];
  /** Sends a message, or text as it is. */
  send(message: unknown): void;
  /** The next message that has not been looked at yet. */
  next(): Promise<Json>;
  /** Everything that comes until the server has answered what was sent before, and is seen to serve on. */
  settled(): Promise<Json[]>;
}

const exchangeMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Params of a request that stands alone. */
export const envelope = (params: Json = {}, meta: Json = {}): Json => ({
  ...params,
  _meta: { ...exchangeMeta, ...meta },
});

export const request = (id: unknown, method: string, params?: unknown): Json =>
  params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };

/** What an error answer looks like; the id is left out where it could not be read. */
export const refused = (code: number, id?: unknown, text: unknown = expect.any(String)): Json => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message: text },
});

const errorsHaveId = new Set(['2024-11-05', '2025-03-26', '2025-06-18']);

/** An error without a readable id has the id null in the revisions in which errors always have one. */
export const worded = (reply: Json, revision: string): Json =>
  'id' in reply || !errorsHaveId.has(revision) ? reply : { ...reply, id: null };

export const handshake = (revision: string): Json =>
  request('hello', 'initialize', {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });

/**
 * Sent behind what is tested, and answered behind it: an invalid request, because naming what is wrong with one takes
 * longest. That it is answered at all shows that the server serves on.
 */
const barrier = request('barrier', 'tools/list', envelope({ cursor: 5 }));

export function openRaw(server: Server, options: AcceptOptions = {}): RawConnection {
  const [channel, far] = createMemoryTransports();
  const faults: unknown[] = [];
  const received: Json[] = [];
  let wake = (): void => {};
  server.accept(far, { onWarning: (error) => faults.push(error), ...options });
  channel.open({
    onMessage(text) {
      received.push(JSON.parse(text));
      wake();
    },
    onClose: () => wake(),
  });
  const send = (message: unknown): void =>
    channel.send(typeof message === 'string' ? message : JSON.stringify(message));
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
  return { channel, faults, send, next, settled };
}

/** Opens a connection on which requests of a revision can be sent at once, and says how to word them. */
export async function openAt(server: Server, revision: ProtocolVersion, options: AcceptOptions = {}) {
  const raw = openRaw(server, options);
  const exchange = revision === '2026-07-28';
  if (!exchange) {
    raw.send(handshake(revision));
    await raw.next();
    raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const ask = (id: unknown, method: string, params: Json = {}): Json =>
    request(id, method, exchange ? envelope(params) : params);
  return { ...raw, exchange, ask };
}
