#!/usr/bin/env node
/** Serves over HTTP on this machine, at the port in PORT. */
import { serveHttp } from 'tenon';
import server from './server.ts';

const service = await serveHttp(server, { port: Number(process.env.PORT ?? 3000), closeOnSignals: true });
console.log(`ready ${service.url}`);
