/** `npm start -- --gateway`: three servers behind one address, two users, and the inspector. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startDevAuthServer } from 'tenon/dev-auth';
import { serveInspector } from 'tenon/inspector';
import { startNotes } from './notes.ts';
import { startPets } from './pets.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const secret = (): string => randomBytes(32).toString('base64url');

/** Tokens are for one URL, so that the ports have to be known before. */
const port = Number(process.env.PORT ?? 0) || (await freePort());
const origin = `http://127.0.0.1:${port}`;
const [petsKey, connectClient] = [secret(), secret()];
const [notes, pets] = [await startNotes(await freePort()), await startPets(petsKey)];
const auth = await startDevAuthServer({
  onAnnounce: () => {},
  users: { ada: { name: 'Ada' }, grace: { name: 'Grace' } },
  clients: [
    {
      client_id: 'gateway',
      client_secret: connectClient,
      client_name: 'The gateway',
      redirect_uris: [`${origin}/connect/signed-in`],
    },
  ],
});
const folder = mkdtempSync(join(tmpdir(), 'tenon-gateway-'));
const secretsFile = join(folder, 'secrets.yaml');
writeFileSync(secretsFile, `connect-client: ${connectClient}\npets-key: ${petsKey}\n`, { mode: 0o600 });

const gateway = spawn(
  process.execPath,
  ['--import', 'tsx', at('../../src/cli/main.ts'), 'gateway', '--config', at('gateway.yaml'), '--json'],
  {
    env: {
      ...process.env,
      GATEWAY_PORT: String(port),
      ISSUER: auth.issuer,
      NOTES_URL: notes.url,
      NOTES_ISSUER: notes.issuer,
      PETS_URL: pets,
      SECRETS_FILE: secretsFile,
      NODE: process.execPath,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
gateway.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => gateway.kill('SIGTERM'));

const [line] = (await once(createInterface({ input: gateway.stdout }), 'line')) as [string];
const { url, adminUrl } = (JSON.parse(line) as { readonly result: { readonly url: string; readonly adminUrl: string } })
  .result;
console.log(`ready ${url}`);
const inspector = await serveInspector({ port: 0, servers: { gateway: url }, start: { server: 'gateway' } });
console.log(`inspector ${inspector.url}`);
console.log(`Sign in as ada or grace. Connect their accounts for notes: ${origin}/connect`);
console.log(`Upstreams, connected users, what waits: ${adminUrl}/`);
console.log(`Health and metrics: ${adminUrl}/readyz, ${adminUrl}/metrics`);
// `npm start` builds the page of the inspector now.
process.send?.('ready');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}
