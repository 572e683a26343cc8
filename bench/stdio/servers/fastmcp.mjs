/** The server fastmcp, which uses the official SDK, version 1. */
import { FastMCP } from 'fastmcp';
import { card, tools } from '../../lib/tools.mjs';

const server = new FastMCP(card);
for (const { name, description, schema: parameters, run } of tools) {
  server.addTool({ name, description, parameters, execute: async (given) => run(given) });
}
await server.start({ transportType: 'stdio' });
