/** Runs the authorization-server scenarios of the official suite against the development server, and signs in for them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { argv, execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { type DevAuthServer, startDevAuthServer } from 'tenon/dev-auth';

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
async function runSuite(command: readonly string[], { issuer, signIn }: DevAuthServer, port: number): Promise<void> {
  const [node = execPath, ...program] = command;
  const options = ['--url', issuer, '--client-id', 'suite', '--resource', 'http://127.0.0.1/mcp', '-p', String(port)];
  const child = spawn(node, [...program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  let url: string | undefined;
  let isWaiting = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(`${issuer}/auth?`)) url = line;
    if (line.startsWith('Callback server started')) isWaiting = true;
    if (url === undefined || !isWaiting) continue;
    await fetch(await signIn(url));
    url = undefined;
  }
}

const port = await freePort();
const redirectUri = `http://127.0.0.1:${port}/callback`;
const clients = [{ client_id: 'suite', redirect_uris: [redirectUri] }];
const server = await startDevAuthServer({ clients, onAnnounce: () => {} });
try {
  await runSuite(argv.slice(2), server, port);
} finally {
  await server.close();
}
