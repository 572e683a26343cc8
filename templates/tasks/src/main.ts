#!/usr/bin/env node
/** Serves over HTTP on this machine, at the port in PORT. With SECRET, tasks are stored and go on after a restart. */
import { serveHttp } from 'tenon';
import server from './server.ts';

const { PORT = '3000', SECRET, STORE = 'sqlite:./tenon.db' } = process.env;
const service = await serveHttp(server, {
  port: Number(PORT),
  ...(SECRET !== undefined && { store: STORE }),
  closeOnSignals: true,
});
console.log(`ready ${service.url}`);
if (SECRET === undefined)
  console.log('Tasks end with this process: set SECRET, such as from `openssl rand -base64 32`.');
