/** A server with one tool, by the official SDK, version 2. */
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });

export function open(send) {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' });
  server.registerTool('add', { description: 'Add', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const transport = {
    async start() {},
    async close() {},
    async send(message) {
      send(JSON.stringify(message));
    },
  };
  void server.connect(transport);
  return (text) => transport.onmessage(JSON.parse(text));
}
