/** The smallest server on stdio by the official SDK, version 1, with zod. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const server = new McpServer({ name: 'minimal', version: '1.0.0' });
server.registerTool('add', { description: 'Add', inputSchema }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
await server.connect(new StdioServerTransport());
