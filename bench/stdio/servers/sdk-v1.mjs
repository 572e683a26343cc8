/** The official SDK, version 1. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { card, textResult, tools } from '../../lib/tools.mjs';

const server = new McpServer(card);
for (const { name, description, schema: inputSchema, run } of tools) {
  server.registerTool(name, { description, inputSchema }, (given) => textResult(run(given)));
}
await server.connect(new StdioServerTransport());
