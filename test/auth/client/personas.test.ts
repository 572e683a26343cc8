/** Eight kinds of authorization servers, and clients in several processes that share a file: one redemption, one sign-in. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProtectOptions } from 'tenon/auth';
import { credentialsFolder } from 'tenon/auth';
import type { DevAuthClient, DevAuthQuirk } from 'tenon/dev-auth';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { replaceRecord, type StoredTokens, tokensKey } from '../../../src/auth/client/records.ts';
import { deviceGrant, redirectUri } from '../../kit/auth/dev-auth.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';
import { scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { PersonaAnswer, PersonaTask } from './fixtures/persona-client.ts';

type Flow = 'code' | 'refresh' | 'device' | 'credentials';
const flows: readonly Flow[] = ['code', 'refresh', 'device', 'credentials'];

interface Persona {
  readonly name: string;
  readonly quirks?: readonly DevAuthQuirk[];
  readonly client?: Partial<DevAuthClient>;
  readonly dpop?: boolean;
}
const personas: readonly Persona[] = [
  { name: 'plain' },
  { name: 'wants scope on refresh', quirks: ['scope-on-refresh'] },
  { name: 'rejects resource', quirks: ['rejects-resource'] },
  { name: 'registers no clients', quirks: ['no-registration'] },
  { name: 'sends no iss', quirks: ['no-iss'] },
  { name: 'rotates refresh tokens', quirks: ['rotates-refresh-tokens'] },
  {
    name: 'takes secrets in the body only',
    quirks: ['post-only'],
    client: { token_endpoint_auth_method: 'client_secret_post' },
  },
  { name: 'demands nonces', quirks: ['dpop-nonce'], dpop: true },
];
const grants = {
  code: 'authorization_code',
  refresh: 'refresh_token',
  device: deviceGrant,
  credentials: 'client_credentials',
};
const count = scaled(2, 20);
/** In `npm run test:system` each persona meets one flow; the others take turns. */
const cases = personas.flatMap((persona, at) =>
  flows.filter((_, place) => scaled(Number(place === at % flows.length), 1) === 1).map((flow) => ({ persona, flow })),
);

let processes: ChildProcess[] = [];
beforeAll(async () => {
  const program = await bundledProgram('persona-client', 'auth');
  processes = Array.from({ length: count }, () => fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
});
afterAll(() => processes.forEach((child) => void child.disconnect()));

/** Every process does the task at the same time. */
async function runAll(task: PersonaTask): Promise<PersonaAnswer[]> {
  return Promise.all(
    processes.map(async (child) => {
      const answered = once(child, 'message');
      child.send(task);
      return (await answered)[0] as PersonaAnswer;
    }),
  );
}

async function start({ quirks = [], client, dpop = false }: Persona): Promise<ProtectedServer> {
  const app = {
    client_id: 'app',
    client_secret: 'app-secret',
    redirect_uris: [redirectUri],
    grant_types: Object.values(grants),
    ...client,
  };
  const protection: Partial<ProtectOptions> = dpop ? { dpop: { nonces: true } } : {};
  return startProtected((url) => ({ quirks, resources: [url], clients: [app] }), protection);
}

/** As if the time of the token were over: no process waits for it. */
async function expire({ server, url }: ProtectedServer, folder: string): Promise<void> {
  await replaceRecord(credentialsFolder({ folder }), tokensKey(server.issuer, url), (tokens) => ({
    ...(tokens as StoredTokens),
    refreshAt: 0,
    expiresAt: 0,
  }));
}

describe(`${count} processes with one store of credentials`, () => {
  it.each(cases)('redeem once: $flow, at a server that $persona.name', async ({ persona, flow }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-personas-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const server = await start(persona);
    const task: PersonaTask = {
      url: server.url,
      folder,
      flow: flow === 'refresh' ? 'code' : flow,
      client: { clientId: 'app', clientSecret: 'app-secret', issuer: server.server.issuer },
      ...(persona.dpop && { dpop: true }),
    };
    const answers = await runAll(task);
    if (flow === 'refresh') {
      await expire(server, folder);
      answers.push(...(await runAll(task)));
    }
    const text = flow === 'credentials' ? 'app' : 'ada';
    expect(answers).toEqual(answers.map(() => ({ text })));
    const signIns = server.events.filter(({ type }) => type === 'authorized').length;
    expect([server.redemptions(grants[flow]), signIns]).toEqual([1, flow === 'credentials' ? 0 : 1]);
  });
});
