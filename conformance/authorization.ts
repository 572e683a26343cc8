/** Runs the authorization-server scenarios of the official suite against `authorizationServer()`, and signs in for them at the development server behind it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argv, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { authorizationServer } from 'tenon/auth-server';
import { startDevAuthServer } from 'tenon/dev-auth';
import { visitSignIn } from '../test/kit/auth-server/visitor.ts';

/** Where the suite waits for the code. It cannot choose a port itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The suite prints the URL that a person should open, and that it waits for the redirect. */
async function runSuite(command: readonly string[], issuer: string, resource: string, port: number): Promise<void> {
  const [node = execPath, ...program] = command;
  const options = ['--url', issuer, '--client-id', 'suite', '--resource', resource, '-p', String(port)];
  const child = spawn(node, [...program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  let url: string | undefined;
  let isWaiting = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(`${issuer}/authorize?`)) url = line;
    if (line.startsWith('Callback server started')) isWaiting = true;
    if (url === undefined || !isWaiting) continue;
    await fetch(await visitSignIn(url));
    url = undefined;
  }
}

const port = await freePort();
const http = createServer().listen(0, '127.0.0.1');
await once(http, 'listening');
const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const provider = await startDevAuthServer({
  clients: [{ client_id: 'tenon', client_secret: 'secret', redirect_uris: [`${issuer}/callback`] }],
  onAnnounce: () => {},
});
const resource = `${issuer}/mcp`;
const auth = authorizationServer({
  signIn: { name: 'dev', issuer: provider.issuer, clientId: 'tenon', clientSecret: 'secret' },
  secrets: ['a secret of the conformance fixture'],
  issuer,
  resources: [resource],
  clients: { known: [{ clientId: 'suite', name: 'Suite', redirectUris: [`http://127.0.0.1:${port}/callback`] }] },
});
http.on('request', (request, response) => {
  if (!auth.handle(request, response)) response.writeHead(404).end();
});
try {
  await runSuite(argv.slice(2), issuer, resource, port);
} finally {
  http.closeAllConnections();
  http.close();
  await auth.close();
  await provider.close();
}
