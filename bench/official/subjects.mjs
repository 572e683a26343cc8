/** The subjects of the bridge: one tool in Tenon, in both versions of the official SDK behind it, and in the SDK's own server. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { connect, createServer, serveHttp, tool } from '../../dist/node.js';
import { fromOfficial } from '../../dist/official.js';
import { lifecycles } from '../lib/lifecycles.mjs';

const info = { name: 'bench', version: '1.0.0' };
const shape = { a: z.number(), b: z.number() };
const schema = z.object(shape);
const answer = ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] });

const native = () =>
  createServer({ ...info, tools: { add: tool({ inputSchema: schema }, ({ a, b }) => String(a + b)) } });

function v1() {
  const server = new ServerV1(info);
  server.registerTool('add', { inputSchema: shape }, answer);
  return server;
}

function v2() {
  const server = new ServerV2(info);
  server.registerTool('add', { inputSchema: schema }, answer);
  return server;
}

const options = { protocolVersions: [lifecycles.session.revision] };
const callBy = (client) => () => client.tools.call('add', { a: 1, b: 2 });

async function inMemory(server) {
  const client = await connect(server, options);
  return { call: callBy(client), close: () => client.close() };
}

async function overHttp(server) {
  const service = await serveHttp(server, { port: 0 });
  const client = await connect(service.url, options);
  return { call: callBy(client), close: () => client.close().then(() => service.close()) };
}

/** Client and server of the SDK. */
async function sdkInMemory() {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await v1().connect(there);
  const client = new Client(info);
  await client.connect(here);
  return { call: () => client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }), close: () => client.close() };
}

/** The SDK's server with its own HTTP transport, and the same client as the others. */
async function sdkOverHttp() {
  const sessions = new Map();
  const http = createHttpServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await v1().connect(transport);
    await transport.handleRequest(request, response);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = await connect(`http://127.0.0.1:${http.address().port}/mcp`, options);
  return { call: callBy(client), close: () => client.close().then(() => http.close()) };
}

export const subjects = {
  'Tenon, in memory': () => inMemory(native()),
  'SDK v1 bridged, in memory': async () => inMemory(await fromOfficial(v1)),
  'SDK v2 bridged, in memory': async () => inMemory(await fromOfficial(v2)),
  'SDK v1 alone, in memory, with its client': sdkInMemory,
  'Tenon, HTTP': () => overHttp(native()),
  'SDK v1 bridged, HTTP': async () => overHttp(await fromOfficial(v1)),
  'SDK v2 bridged, HTTP': async () => overHttp(await fromOfficial(v2)),
  'SDK v1 alone, its own HTTP': sdkOverHttp,
};
