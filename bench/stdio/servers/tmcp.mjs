/** The server tmcp, both lifecycles. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { card, textResult, tools } from '../../lib/tools.mjs';

const server = new McpServer(card, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: { tools: { listChanged: true } },
});
for (const { name, description, schema, run } of tools) {
  server.tool({ name, description, schema }, (given) => textResult(run(given)));
}
new StdioTransport(server).listen();
