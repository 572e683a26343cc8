/** An upstream of a gateway without the library: a script answers each message of each of its connections. */
import type { Transport } from 'tenon/transport';
import type { UpstreamOptions } from '../../../src/gateway/types.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { answer, refuse, type Script, type Send } from '../../kit/transport/scripted-server.ts';

export const sessionVersion = '2025-06-18' as const;

export interface RawUpstream {
  readonly options: UpstreamOptions;
  /** Sends a message over each open connection. */
  send: Send;
  /** The connections that are open, and how many were opened. */
  readonly counts: { open: number; opened: number };
}

/** The answers that every test needs; `script` gets everything else, and may answer these itself by `own`. */
export function rawUpstream(
  capabilities: Json,
  script: Script,
  options: UpstreamOptions = {},
  own: readonly string[] = [],
): RawUpstream {
  const counts = { open: 0, opened: 0 };
  const sends = new Set<Send>();
  const accept = (transport: Transport): void => {
    counts.open++;
    counts.opened++;
    const send: Send = (message) => transport.send(JSON.stringify(message));
    sends.add(send);
    transport.open({
      onMessage(text) {
        const message = JSON.parse(text) as Json;
        if (message.id === undefined) return;
        const result = own.includes(String(message.method)) ? undefined : usual(message, capabilities);
        if (result === undefined) script(message, send);
        else send(answer(message, result));
      },
      onClose() {
        counts.open--;
        sends.delete(send);
      },
    });
  };
  return {
    options: { server: { accept } as never, protocolVersions: [sessionVersion], ...options },
    send: (message) => {
      for (const send of sends) send(message);
    },
    counts,
  };
}

function usual({ method }: Json, capabilities: Json): Json | undefined {
  if (method === 'initialize')
    return { protocolVersion: sessionVersion, capabilities, serverInfo: { name: 'raw', version: '1' } };
  if (method === 'tools/list') return { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'done' }] };
  if (method === 'resources/list') return { resources: [{ uri: 'a://b', name: 'b' }] };
  if (method === 'resources/templates/list') return { resourceTemplates: [] };
  return undefined;
}

/** Refuses what is not known. */
export const unknown: Script = (message, send) => send(refuse(message, -32601));
