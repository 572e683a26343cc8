/** A server written by hand for a host: says what it likes, and keeps all that it hears. */
import type { ServerLike } from 'tenon';
import type { Transport } from 'tenon/transport';

type Json = Record<string, unknown>;

export interface HandServer extends ServerLike {
  /** All messages of all connections, as they came. */
  readonly received: string[];
  /** How often it was connected to. */
  connections(): number;
  send(message: Json): void;
  hangUp(): void;
}

/** Greets as a server of a session, with all capabilities; `answer` gives the results of other requests. */
export function handServer(answer: (method: string, params: Json) => Json | undefined): HandServer {
  const received: string[] = [];
  let channel: Transport | undefined;
  let connections = 0;
  const send = (to: Transport | undefined, message: Json): void =>
    to?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const list = { listChanged: true };
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: list, prompts: list, resources: list },
    serverInfo: { name: 'by hand', version: '1' },
  };
  return {
    received,
    connections: () => connections,
    send: (message) => send(channel, message),
    hangUp: () => channel?.close(),
    accept(opened) {
      channel = opened;
      connections++;
      opened.open({
        onMessage(text) {
          received.push(text);
          const { id, method, params = {} } = JSON.parse(text) as { id?: unknown; method?: string; params?: Json };
          if (id === undefined || method === undefined) return;
          if (method === 'server/discover') return send(opened, { id, error: { code: -32601, message: 'unknown' } });
          const result = method === 'initialize' ? greeting : answer(method, params);
          if (result !== undefined) send(opened, { id, result });
        },
        onClose() {},
      });
    },
  };
}
