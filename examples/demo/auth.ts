/** Protects the demo with a development authorization server: `npm start -- --auth`. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Protection, protect } from 'tenon/auth';
import { startDevAuthServer } from 'tenon/dev-auth';

/** A token is for one URL, so that the port has to be known before the demo listens. */
export async function protectDemo(wanted: number): Promise<{ port: number; authenticate: Protection }> {
  const port = wanted === 0 ? await freePort() : wanted;
  const resource = `http://127.0.0.1:${port}/mcp`;
  const { issuer } = await startDevAuthServer({ resources: [resource] });
  return { port, authenticate: protect({ issuer, resource, resourceName: 'Tenon demo' }) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
