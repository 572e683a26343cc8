/** Official SDK v2: its memory transport for sessions, its fetch handler as the client's fetch for exchanges. */
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { driving } from '../driving.mjs';

const inputSchema = z.object({ a: z.number(), b: z.number() });

function build() {
  const server = new McpServer({ name: 'adder', version: '1.0.0' });
  server.registerTool('add', { description: 'Adds', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
}

const handler = createMcpHandler(build, { responseMode: 'json' });

async function overMemory() {
  const client = new Client({ name: 'client', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await build().connect(there);
  await client.connect(here);
  return client;
}

async function overFetch(revision) {
  const client = new Client({ name: 'client', version: '1.0.0' }, { versionNegotiation: { mode: { pin: revision } } });
  const fetch = (url, init) => handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  return client;
}

export async function connect({ revision }) {
  const client = await (revision === '2026-07-28' ? overFetch(revision) : overMemory());
  return { call: async (a, b) => (await client.callTool({ name: 'add', arguments: { a, b } })).content[0].text };
}

export const prepare = driving(connect);
