/** A server of the official SDK, version 1, as it is: put yours here. It connects nothing. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';

export function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'my-server', version: '0.1.0' });
  server.registerTool(
    'forecast',
    { description: 'The forecast for a city', inputSchema: z.object({ city: z.string().min(1) }) },
    ({ city }) => ({ content: [{ type: 'text', text: `Sunny in ${city}` }] }),
  );
  server.registerTool('reset', { description: 'Deletes all that is stored' }, () => ({
    content: [{ type: 'text', text: 'Nothing is left.' }],
  }));
  return server;
}
