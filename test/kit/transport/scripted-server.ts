/** A server in this process without the library: a script decides how each message of the client is answered. */
import { type ConnectOptions, connect, type ProtocolVersion } from 'tenon';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { isSession } from '../version-order.ts';
import type { Json } from './raw-connection.ts';

export type Send = (message: unknown) => void;

/** How one message is answered. */
export type Script = (message: Json, send: Send) => void;

export interface ScriptedServer {
  /** The client's end. */
  readonly transport: Transport;
  readonly received: Json[];
  /** The methods of all received messages, in order. */
  methods(): unknown[];
  send: Send;
  /** Resolves when the client has disconnected. */
  readonly left: Promise<void>;
  leave(): void;
}

export function scriptedServer(script: Script): ScriptedServer {
  const [transport, own] = createMemoryTransports();
  const received: Json[] = [];
  const send: Send = (message) => own.send(typeof message === 'string' ? message : JSON.stringify(message));
  const left = new Promise<void>((resolve) => {
    own.open({
      onMessage(text) {
        const message = JSON.parse(text) as Json;
        received.push(message);
        script(message, send);
      },
      onClose: () => resolve(),
    });
  });
  return {
    transport,
    received,
    methods: () => received.map(({ method }) => method),
    send,
    left,
    leave: () => own.close(),
  };
}

export const answer = ({ id }: Json, result: unknown): Json => ({ jsonrpc: '2.0', id, result });

export const refuse = ({ id }: Json, code: number, data?: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: `refused with ${code}`, ...(data !== undefined && { data }) },
});

export interface Greeting {
  /** The revision it answers a handshake with; by default the requested one. */
  readonly revision?: string;
  readonly capabilities?: Json;
}

/** Answers the handshake of a session and passes everything else to `rest`. */
export const session =
  ({ revision, capabilities = {} }: Greeting, rest: Script): Script =>
  (message, send) => {
    if (message.method !== 'initialize') return rest(message, send);
    const protocolVersion = revision ?? (message.params as Json).protocolVersion;
    send(answer(message, { protocolVersion, capabilities, serverInfo: { name: 'raw', version: '1' } }));
  };

/** Answers nothing. */
export const mute: Script = () => {};

/** A client that connects to a scripted server. */
export function scripted(script: Script, options: ConnectOptions) {
  const { transport, received, left, send, leave } = scriptedServer(script);
  const warnings: unknown[] = [];
  const client = connect(transport, { ...options, onWarning: (error) => warnings.push(error) });
  return { client, received, warnings, ended: left.then(() => 'ended'), send, hangUp: leave };
}

/** Opens like a server of a revision, then passes every request on. Results are written in their session form. */
export function scriptedAt(
  revision: ProtocolVersion,
  capabilities: Json,
  results: (message: Json, send: Send) => Json | undefined,
  options: ConnectOptions = {},
) {
  const cacheHint = { ttlMs: 0, cacheScope: 'private' };
  const serverInfo = { name: 'scripted', version: '1' };
  const script: Script = (message, send) => {
    if (message.id === undefined || message.method === undefined) return;
    if (message.method === 'initialize') {
      return send(answer(message, { protocolVersion: revision, capabilities, serverInfo }));
    }
    const own =
      message.method === 'server/discover' ? { supportedVersions: [revision], capabilities } : results(message, send);
    if (own !== undefined)
      send(answer(message, !isSession(revision) ? { resultType: 'complete', ...cacheHint, ...own } : own));
  };
  return scripted(script, { ...options, protocolVersions: [revision] });
}
