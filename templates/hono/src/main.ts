#!/usr/bin/env node
/** A Hono application with the server at /mcp, on this machine, at the port in PORT. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { toFetchHandler } from 'tenon/server';
import server from './server.ts';

const app = new Hono();
// The host names that clients use: a request to any other host gets 403.
const handler = toFetchHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });
for (const path of ['/mcp', '/mcp/events']) app.all(path, (context) => handler(context.req.raw));

const port = Number(process.env.PORT ?? 3000);
const listener = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (address) => {
  console.log(`ready http://127.0.0.1:${address.port}/mcp`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    listener.close(); // accepts no more connections
    await handler.close(); // running calls have 5 seconds to finish, then all streams close
    // The last events are still on their way through Hono's streams.
    setTimeout(() => 'closeIdleConnections' in listener && listener.closeIdleConnections(), 100);
  });
