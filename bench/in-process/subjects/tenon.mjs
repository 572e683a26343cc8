/** Ours, as built: `connect(server)`, which sends text both ways. */
import { z } from 'zod';
import { createServer, connect as open, tool } from '../../../dist/index.js';
import { driving } from '../driving.mjs';

const server = createServer({
  name: 'adder',
  version: '1.0.0',
  tools: {
    add: tool({ description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
      String(a + b),
    ),
  },
});

export async function connect({ revision }) {
  const client = await open(server, { protocolVersions: [revision] });
  return { call: async (a, b) => (await client.tools.call('add', { a, b })).content[0].text };
}

export const prepare = driving(connect);
