/** The smallest server on stdio by tmcp, with zod. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import * as z from 'zod';

const server = new McpServer(
  { name: 'minimal', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
);
server.tool({ name: 'add', description: 'Add', schema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}));
new StdioTransport(server).listen();
