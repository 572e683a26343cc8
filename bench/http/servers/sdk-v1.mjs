/** The official SDK, version 1, with JSON answers: a transport for each session, or for each request as in its examples. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { card, textResult } from '../../lib/tools.mjs';
import { hasSessions, listen, tools } from './announce.mjs';

const sessions = new Map();

function build() {
  const server = new McpServer(card);
  for (const { name, description, schema: inputSchema, run } of tools) {
    server.registerTool(name, { description, inputSchema }, (given) => textResult(run(given)));
  }
  return server;
}

async function alone(request, response) {
  const server = build();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

async function inSession(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await build().connect(transport);
  await transport.handleRequest(request, response);
}

listen(createServer(hasSessions ? inSession : alone));
