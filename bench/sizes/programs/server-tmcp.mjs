/** A server with one tool, by tmcp. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import * as z from 'zod';

const schema = z.object({ a: z.number(), b: z.number() });
const options = { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } };
const server = new McpServer({ name: 'minimal', version: '1.0.0', description: '' }, options);
server.tool({ name: 'add', description: 'Add', schema }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));

export function open(send) {
  return async (text) => {
    const answer = await server.receive(JSON.parse(text), { sessionId: 'one', sessionInfo: {} });
    if (answer) send(JSON.stringify(answer));
  };
}
