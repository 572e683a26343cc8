/** Protects the demo with an authorization server, whose users sign in at a development server that plays the provider: `npm start -- --auth`. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Protection, protect } from 'tenon/auth';
import { authorizationServer } from 'tenon/auth-server';
import { startDevAuthServer } from 'tenon/dev-auth';

/** A token is for one URL, so that the port has to be known before the demo listens. */
export async function protectDemo(wanted: number): Promise<{ port: number; authenticate: Protection }> {
  const port = wanted === 0 ? await freePort() : wanted;
  const origin = `http://127.0.0.1:${port}`;
  const client = { clientId: 'demo', clientSecret: randomBytes(32).toString('base64url') };
  const provider = await startDevAuthServer({
    users: { ada: { name: 'Ada', groups: ['admins'] }, grace: { name: 'Grace' } },
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        client_name: 'Tenon demo',
        redirect_uris: [`${origin}/callback`],
      },
    ],
  });
  const auth = authorizationServer({
    signIn: { name: 'dev', title: 'the development server', issuer: provider.issuer, ...client },
    secrets: [randomBytes(32).toString('base64url')],
    issuer: origin,
    // New secrets at every start: what was stored before could not be read.
    store: 'memory:',
  });
  const resource = `${origin}/mcp`;
  return { port, authenticate: protect({ issuer: auth, resource, resourceName: 'Tenon demo' }) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
