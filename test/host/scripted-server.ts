/** A scripted server for a host: sends any message and records all that it receives. */
import type { ServerLike } from 'tenon/client';
import type { Transport } from 'tenon/transport';

type Json = Record<string, unknown>;

export interface ScriptedServer extends ServerLike {
  /** All messages of all connections, in order. */
  readonly received: string[];
  /** How often it was connected to. */
  connections(): number;
  send(message: Json): void;
  disconnect(): void;
}

/** Answers `initialize` with all capabilities; `answer` returns the results of other requests, or `{ error }`. */
export function scriptedServer(
  answer: (method: string, params: Json) => Json | undefined,
  protocolVersion = '2025-11-25',
): ScriptedServer {
  const received: string[] = [];
  let transport: Transport | undefined;
  let connections = 0;
  const send = (to: Transport | undefined, message: Json): void =>
    to?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const list = { listChanged: true };
  const initialized = {
    protocolVersion,
    capabilities: { tools: list, prompts: list, resources: { ...list, subscribe: true } },
    serverInfo: { name: 'scripted', version: '1' },
  };
  return {
    received,
    connections: () => connections,
    send: (message) => send(transport, message),
    disconnect: () => transport?.close(),
    accept(opened) {
      transport = opened;
      connections++;
      opened.open({
        onMessage(text) {
          received.push(text);
          const { id, method, params = {} } = JSON.parse(text) as { id?: unknown; method?: string; params?: Json };
          if (id === undefined || method === undefined) return;
          if (method === 'server/discover') return send(opened, { id, error: { code: -32601, message: 'unknown' } });
          const result = method === 'initialize' ? initialized : answer(method, params);
          if (result !== undefined) send(opened, 'error' in result ? { id, ...result } : { id, result });
        },
        onClose() {},
      });
    },
  };
}
