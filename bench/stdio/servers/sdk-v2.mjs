/** The official SDK, version 2, both lifecycles. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { card, textResult, tools } from '../../lib/tools.mjs';

serveStdio(() => {
  const server = new McpServer(card);
  for (const { name, description, schema: inputSchema, run } of tools) {
    server.registerTool(name, { description, inputSchema }, (given) => textResult(run(given)));
  }
  return server;
});
