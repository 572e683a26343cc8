/** Authorization servers that contradict the specification: one change each, after the error that names it, and remembered. */
import { connect } from 'tenon';
import type { OAuthOptions } from 'tenon/auth';
import type { DevAuthQuirk } from 'tenon/dev-auth';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nextQuirk } from '../../../src/auth/client/tokens/quirks.ts';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { redirectUri } from '../../kit/auth/dev-auth.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const app = { client_id: 'app', client_secret: 'app-secret', redirect_uris: [redirectUri] };
const clientAt = ({ server: { issuer } }: ProtectedServer) => ({ clientId: 'app', clientSecret: 'app-secret', issuer });
const start = (quirk: DevAuthQuirk): Promise<ProtectedServer> =>
  startProtected((url) => ({ quirks: [quirk], resources: [url], clients: [app] }));

/** Signs in, and calls once more when the token has expired. */
async function signInAndRefresh(server: ProtectedServer, options: OAuthOptions): Promise<void> {
  const connected = await connect({ url: server.url, auth: server.auth(options) });
  await connected.tools.call('whoami');
  vi.setSystemTime(Date.now() + 9.75 * 60_000);
  await connected.tools.call('whoami');
  await connected.close();
}

const quirkSteps = ({ steps }: ProtectedServer) =>
  steps.filter(({ step }) => step === 'quirk').map(({ found }) => found);
const refusals = ({ events }: ProtectedServer): number => events.filter(({ type }) => type === 'token-refused').length;

describe('An authorization server that', () => {
  it.each([
    ['rejects-resource', /resource is not sent/],
    ['scope-on-refresh', /scope is sent with the refresh/],
    ['post-only', /client_secret_post/],
  ] as const)('has the quirk %s is met by one change, which is explained and remembered', async (quirk, text) => {
    const server = await startProtected((url) => ({
      quirks: [quirk],
      resources: [url],
      clients: [{ ...app, ...(quirk === 'post-only' && { token_endpoint_auth_method: 'client_secret_post' }) }],
    }));
    const options = { client: clientAt(server), store: memoryCredentials() };
    await signInAndRefresh(server, options);
    expect(quirkSteps(server)).toEqual([expect.stringMatching(text)]);
    expect(server.redemptions('refresh_token')).toBe(1);
    const before = refusals(server);
    server.steps.length = 0;
    vi.setSystemTime(Date.now() + 9.75 * 60_000);
    await signInAndRefresh(server, options);
    expect(quirkSteps(server)).toEqual([]);
    expect(refusals(server)).toBe(before);
  });

  it.each(['rotates-refresh-tokens', 'no-iss'] as const)('has the quirk %s needs no change', async (quirk) => {
    const server = await start(quirk);
    await signInAndRefresh(server, { client: clientAt(server) });
    expect([quirkSteps(server), refusals(server), server.redemptions('refresh_token')]).toEqual([[], 0, 1]);
  });

  it('registers no clients names what to pass [e-auth-87]', async () => {
    const server = await start('no-registration');
    await expect(connect({ url: server.url, auth: server.auth() })).rejects.toMatchObject({
      code: 'authorization-failed',
      hint: expect.stringContaining('client: { clientId }'),
      details: { step: 'registration' },
    });
    await signInAndRefresh(server, { client: clientAt(server) });
    expect(server.signIns.length).toBe(1);
  });
});

describe('A change', () => {
  const facts = {
    quirks: {},
    isRefresh: false,
    scopes: ['a', 'offline_access'],
    otherMethods: ['client_secret_post'],
  } as const;
  it.each([
    ['invalid_target', { error: 'invalid_target', description: '' }, { resource: 'omit' }],
    ['AADSTS9010010', { error: 'invalid_request', description: 'AADSTS9010010: x' }, { resource: 'omit' }],
    ['invalid_scope', { error: 'invalid_scope', description: '' }, { offlineAccess: 'omit' }],
    [
      '401 invalid_client',
      { status: 401, error: 'invalid_client', description: '' },
      { clientAuth: 'client_secret_post' },
    ],
  ] as const)('follows from %s', (_name, refusal, quirks) => {
    expect(nextQuirk(refusal, facts)).toEqual(quirks);
  });

  it.each([
    ['invalid_grant', { status: 400, error: 'invalid_grant', description: 'resource scope AADSTS9010010' }],
    ['access_denied', { error: 'access_denied', description: '' }],
    ['400 invalid_client', { status: 400, error: 'invalid_client', description: '' }],
    ['server_error', { status: 500, error: 'server_error', description: '' }],
  ] as const)('never follows from %s', (_name, refusal) => {
    expect(nextQuirk(refusal, facts)).toBeUndefined();
  });

  it('is not made twice', () => {
    const quirks = { resource: 'omit' } as const;
    expect(nextQuirk({ error: 'invalid_target', description: '' }, { ...facts, quirks })).toBeUndefined();
  });
});
