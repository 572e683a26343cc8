/** A server with one tool, ours, its schema by zod. */
import { content, createServer, tool } from 'tenon/server';
import * as z from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Add', inputSchema }, ({ a, b }) => content({ type: 'text', text: String(a + b) }));
const server = createServer({ name: 'minimal', version: '1.0.0', tools: { add } });

export function open(send) {
  let receive;
  server.accept({ state: 'open', send, close() {}, open: ({ onMessage }) => (receive = onMessage) });
  return receive;
}
