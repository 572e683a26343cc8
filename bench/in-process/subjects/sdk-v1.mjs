/** Official SDK v1: its client and server over its memory transport, which passes objects without serializing them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { driving } from '../driving.mjs';

const inputSchema = z.object({ a: z.number(), b: z.number() });

export async function connect({ revision }) {
  if (revision === '2026-07-28') return { skipped: 'it does not support this revision' };
  const server = new McpServer({ name: 'adder', version: '1.0.0' });
  server.registerTool('add', { description: 'Adds', inputSchema }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const client = new Client({ name: 'client', version: '1.0.0' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  return { call: async (a, b) => (await client.callTool({ name: 'add', arguments: { a, b } })).content[0].text };
}

export const prepare = driving(connect);
