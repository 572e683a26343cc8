/** tmcp has no client: its memory transport is a test harness that passes objects to the server. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { driving } from '../driving.mjs';

const schema = z.object({ a: z.number(), b: z.number() });

const server = new McpServer(
  { name: 'adder', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
);
server.tool({ name: 'add', description: 'Adds', schema }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
const transport = new InMemoryTransport(server);

export async function connect({ revision }) {
  if (revision === '2026-07-28') return { skipped: 'it does not support this revision' };
  const session = transport.session();
  await session.initialize(revision, {}, { name: 'client', version: '1.0.0' });
  return { call: async (a, b) => (await session.callTool('add', { a, b })).content[0].text };
}

export const prepare = driving(connect);
