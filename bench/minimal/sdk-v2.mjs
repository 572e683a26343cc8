/** The smallest server on stdio by the official SDK, version 2, with zod. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });
serveStdio(() => {
  const server = new McpServer({ name: 'minimal', version: '1.0.0' });
  server.registerTool('add', { description: 'Add', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
});
