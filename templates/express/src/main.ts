#!/usr/bin/env node
/** An Express application with the server at /mcp, on this machine, at the port in PORT. */
import type { AddressInfo } from 'node:net';
import express from 'express';
import { toNodeHandler } from 'tenon';
import server from './server.ts';

const app = express();
// The host names that clients use: a request to any other host gets 403.
const handler = toNodeHandler(server, { allowedHosts: ['localhost', '127.0.0.1'] });
app.all(['/mcp', '/mcp/events'], handler);

const listener = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`ready http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    listener.close(); // accepts no more connections
    await handler.close(); // running calls have 5 seconds to finish, then all streams close
    listener.closeIdleConnections();
  });
