/** The server tmcp, both lifecycles. It answers with event streams. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { serve } from 'srvx/node';
import { McpServer } from 'tmcp';
import { card, textResult } from '../../lib/tools.mjs';
import { announce, tools } from './announce.mjs';

const server = new McpServer(card, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: { tools: { listChanged: true } },
});
for (const { name, description, schema, run } of tools) {
  server.tool({ name, description, schema }, (given) => textResult(run(given)));
}
const transport = new HttpTransport(server, { path: '/mcp' });
const fetch = async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 });
const listener = serve({ fetch, port: 0, hostname: '127.0.0.1', silent: true });
await listener.ready();
announce(Number(new URL(listener.url).port));
