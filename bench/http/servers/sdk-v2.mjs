/** The official SDK, version 2, with JSON answers where it supports them: its handler for both lifecycles, or a transport for each session. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
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

async function inSession(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (known !== undefined) return known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await build().connect(transport);
  await transport.handleRequest(request, response);
}

/** As in its page on serving over HTTP. */
function alone() {
  const handle = toNodeHandler(createMcpHandler(build, { responseMode: 'json' }));
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  return (request, response) => {
    if (isHost(request, response) && isOrigin(request, response)) void handle(request, response);
  };
}

listen(createServer(hasSessions ? inSession : alone()));
