/** Fastify: a scope without body parsers, in which the handler of `node:http` writes the response. */
import { fastify } from 'fastify';
import { toNodeHandler } from 'tenon';
import { server } from './server.ts';

const app = fastify();
// The host names that clients use: a request to any other host gets 403.
const handler = toNodeHandler(server, { allowedHosts: ['localhost', '127.0.0.1', 'mcp.example.com'] });

app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _body, done) => done(null));
  for (const path of ['/mcp', '/mcp/events'])
    scope.all(path, (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    });
});

// Streams are open until the handler closes them, and Fastify waits for all connections.
app.addHook('preClose', () => handler.close());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.close());

console.log(`ready ${await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })}/mcp`);
