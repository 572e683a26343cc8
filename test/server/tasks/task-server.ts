/** A server whose tools run as tasks, and a client of it that sends raw messages. */
import { createServer, type Server, type ServerOptions, tool } from 'tenon';
import type { AcceptOptions } from 'tenon/server';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { type Json, openRaw } from '../../kit/transport/raw-connection.ts';

/** Calls become tasks also if they end at once. */
const atOnce = { answerWithinMs: 0 } as const;

export function taskServer(more: { readonly pageSize?: number } = {}, options: ServerOptions = {}) {
  const held = deferred();
  const aborted = deferred<unknown>();
  const server = createServer(
    {
      name: 'shop',
      version: '1.0.0',
      ...more,
      tools: {
        plain: tool({}, () => 'at once'),
        report: tool({ inputSchema: z.object({ n: z.number() }), task: atOnce }, ({ n }) => `report ${n}`),
        required: tool(
          { task: { ...atOnce, support: 'required', pollIntervalMs: 250, ttlMs: 120_000 } },
          () => 'required',
        ),
        failing: tool({ task: atOnce }, () => {
          throw new Error('private');
        }),
        greet: tool({ task: 'optional' }, async (_given, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
        }),
        held: tool({ task: 'optional' }, async (_given, { signal, reportProgress }) => {
          reportProgress(1, 2, 'half');
          signal.addEventListener('abort', () => aborted.resolve(signal.reason));
          await held.promise;
          return 'released';
        }),
      },
    },
    { onError: () => undefined, ...options },
  );
  return { server, release: () => held.resolve(), aborted: aborted.promise };
}

/** Sends requests one after the other; answers server requests by `onRequest`. */
export function openClient(
  server: Server,
  options: AcceptOptions = {},
  onRequest: (request: Json) => Json | undefined = () => undefined,
) {
  const raw = openRaw(server, options);
  /** Notifications that were received while answers were awaited. */
  const notifications: Json[] = [];
  let ids = 0;
  async function ask(method: string, params: Json = {}): Promise<Json> {
    const id = `r${++ids}`;
    raw.send({ jsonrpc: '2.0', id, method, params });
    for (;;) {
      const message = await raw.next();
      if (message.id === id) return message;
      if (message.id === undefined) notifications.push(message);
      if (message.method === undefined || message.id === undefined) continue;
      const result = onRequest(message);
      if (result !== undefined) raw.send({ jsonrpc: '2.0', id: message.id, result });
    }
  }
  /** The next notification that was not read yet. */
  async function notified(): Promise<Json> {
    const message = notifications.shift() ?? (await raw.next());
    return message.id === undefined ? message : notified();
  }
  return { ...raw, ask, notified, notifications };
}

export const resultOf = (message: Json): Json => {
  if (message.result === undefined) throw new Error(`No result: ${JSON.stringify(message.error)}`);
  return message.result as Json;
};

export const codeOf = (message: Json): unknown => (message.error as Json | undefined)?.code;
