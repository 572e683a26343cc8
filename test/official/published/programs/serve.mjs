/** Serves one of the servers behind the bridge: on standard streams, or over HTTP with `http`, and prints its URL. */
import { serveHttp, serveStdio } from 'tenon';
import { fromOfficial } from 'tenon/official';
import { servers } from './servers.mjs';

const [name, transport] = process.argv.slice(2);
const server = await fromOfficial(await servers[name]());
if (transport === 'http') {
  const { url } = await serveHttp(server, { port: 0, closeOnSignals: true });
  console.log(url);
} else serveStdio(server);
