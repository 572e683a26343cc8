/** The server fastmcp, which uses the official SDK, version 1, with JSON answers. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { FastMCP } from 'fastmcp';
import { card } from '../../lib/tools.mjs';
import { announce, hasSessions, tools } from './announce.mjs';

/** It does not report its port, so it gets one that was free a moment ago. */
async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

const server = new FastMCP(card);
for (const { name, description, schema: parameters, run } of tools) {
  server.addTool({ name, description, parameters, execute: async (given) => run(given) });
}
const port = await freePort();
const httpStream = { port, host: '127.0.0.1', stateless: !hasSessions, enableJsonResponse: true };
await server.start({ transportType: 'httpStream', httpStream });
announce(port);
