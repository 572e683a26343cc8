/** Programs without a person: client credentials and workload identity, against a real authorization server. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { connect, type TenonError } from 'tenon';
import { type AssertionNeed, clientCredentials, type OAuth, oauth, tokenFile, workloadIdentity } from 'tenon/auth';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';

const minuteMs = 60_000;

/** Both sides read the date, so that tokens expire without waiting. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

async function whoami(url: string, auth: OAuth, times = 1): Promise<unknown> {
  const client = await connect({ url, auth });
  try {
    for (let call = 1; call < times; call++) {
      await client.tools.call('whoami');
      vi.setSystemTime(Date.now() + 2 * minuteMs);
    }
    const { content } = await client.tools.call('whoami');
    return (content[0] as { text?: string }).text;
  } finally {
    await client.close();
  }
}

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

describe('Client credentials', () => {
  const job = { client_id: 'job', client_secret: 'canary-secret-1' };
  const clientAt = ({ server: { issuer } }: ProtectedServer) => ({
    clientId: 'job',
    clientSecret: 'canary-secret-1',
    issuer,
  });

  it('get a token for the server with a secret [ext-cc-02, ext-cc-03, ext-cc-06, e-auth-87]', async () => {
    const server = await startProtected(() => ({ clients: [job] }));
    expect(await whoami(server.url, server.auth({ client: clientAt(server), grant: clientCredentials() }))).toBe('job');
    expect([server.signIns.length, server.redemptions('client_credentials')]).toEqual([0, 1]);
    expect(JSON.stringify(server.steps)).not.toContain('canary');
  });

  it('get a token with a signed assertion of the client [ext-cc-03, ext-ema-20]', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'key-1' }];
    const server = await startProtected(() => ({ clients: [{ client_id: 'signer', jwks: { keys } }] }));
    const signer = { clientId: 'signer', privateKey, keyId: 'key-1' };
    expect(await whoami(server.url, server.auth({ client: signer, grant: clientCredentials() }))).toBe('signer');
  });

  it('get a new token whenever one expires, however often that is', async () => {
    const server = await startProtected(() => ({ clients: [job], lifetimes: { accessTokenMs: minuteMs } }));
    expect(await whoami(server.url, server.auth({ client: clientAt(server), grant: clientCredentials() }), 6)).toBe(
      'job',
    );
    expect(server.redemptions('client_credentials')).toBe(6);
  });

  it('get a new token before one expires, with the same scopes: the server refuses no call', async () => {
    const server = await startProtected(() => ({ clients: [job], lifetimes: { accessTokenMs: minuteMs } }));
    const store = memoryCredentials();
    const options = { client: clientAt(server), grant: clientCredentials(), store };
    const first = await connect({ url: server.url, auth: server.auth(options) });
    const requested = async () => {
      const key = JSON.stringify(['tokens', server.server.issuer, server.url]);
      return ((await store.read(key))?.value as { requested?: unknown } | undefined)?.requested;
    };
    const before = await requested();
    vi.setSystemTime(Date.now() + 57_000);
    await Promise.all([first.tools.call('whoami'), first.tools.call('whoami')]);
    await first.close();
    vi.setSystemTime(Date.now() + 57_000);
    // Another process knows the tokens, and no metadata yet.
    expect(await whoami(server.url, server.auth(options))).toBe('job');
    expect(server.redemptions('client_credentials')).toBe(3);
    expect(server.steps.filter(({ step }) => step === 'challenge')).toHaveLength(1);
    expect(await requested()).toEqual(before);
  });

  it('use a token to its end where no new one is to be had', async () => {
    const server = await startProtected(() => ({ clients: [job], lifetimes: { accessTokenMs: minuteMs } }));
    let isDown = false;
    const unsteady: typeof fetch = (url, init) =>
      isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init);
    const auth = server.auth({ client: clientAt(server), grant: clientCredentials(), fetch: unsteady });
    const connected = await connect({ url: server.url, auth });
    isDown = true;
    vi.setSystemTime(Date.now() + 57_000);
    expect((await connected.tools.call('whoami')).content).toMatchObject([{ text: 'job' }]);
    await connected.close();
  });

  it('get a new token as often where the clock of the server is ahead', async () => {
    const verify = (token: string) => {
      const { iat = 0, iss: issuer = '', sub: subject = '' } = decodeJwt(token);
      return Date.now() / 1000 - iat > 55 ? undefined : { issuer, subject };
    };
    const server = await startProtected(() => ({ clients: [job], lifetimes: { accessTokenMs: minuteMs } }), {
      verify,
      limits: { cacheMs: 1 },
    });
    const connected = await connect({
      url: server.url,
      auth: server.auth({ client: clientAt(server), grant: clientCredentials() }),
    });
    for (let calls = 0; calls < 5; calls++) {
      vi.setSystemTime(Date.now() + 57_000);
      await connected.tools.call('whoami');
    }
    await connected.close();
    expect(server.redemptions('client_credentials')).toBe(6);
  });

  it('get a new token where another process has left one that has expired', async () => {
    const server = await startProtected(() => ({ clients: [job] }));
    const options = { client: clientAt(server), grant: clientCredentials(), store: memoryCredentials() };
    const auth = server.auth(options);
    await whoami(server.url, auth);
    await auth.signOut();
    await whoami(server.url, server.auth(options));
    vi.setSystemTime(Date.now() + 20 * minuteMs);
    expect(await whoami(server.url, auth)).toBe('job');
    expect(server.redemptions('client_credentials')).toBe(3);
  });

  it.each([undefined, { clientId: 'job' }])('need a client with a secret or a key, not %j', (given) => {
    const options = { grant: clientCredentials(), ...(given && { client: given }) };
    expect(() => oauth(options)).toThrow('client must have a clientSecret or a privateKey for clientCredentials()');
  });

  it('name a wrong secret without quoting it', async () => {
    const server = await startProtected(() => ({ clients: [job] }));
    const wrong = { ...clientAt(server), clientSecret: 'canary-secret-2' };
    const auth = server.auth({ client: wrong, grant: clientCredentials() });
    const error = await failureOf(connect({ url: server.url, auth }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'token', error: 'invalid_client' } });
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
  });
});

describe('Workload identity', () => {
  const issuer = 'https://workloads.example';
  const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

  interface Workload extends ProtectedServer {
    sign(need: Pick<AssertionNeed, 'audience'>, claims?: Record<string, unknown>): Promise<string>;
  }

  async function startTrusting(): Promise<Workload> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256' }];
    const server = await startProtected(() => ({
      trustedIssuers: [{ issuer, jwks: { keys } }],
      clients: [{ client_id: 'reports', grant_types: [bearer], token_endpoint_auth_method: 'none' }],
    }));
    const sign: Workload['sign'] = ({ audience }, claims = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setSubject('build-7')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('5m')
        .setJti(crypto.randomUUID())
        .sign(privateKey);
    return { ...server, sign };
  }

  const client = { clientId: 'reports' };

  it('exchanges an assertion for the token endpoint, a new one for every token [ext-wif-01, ext-wif-02, ext-wif-03]', async () => {
    const server = await startTrusting();
    const needs: AssertionNeed[] = [];
    const assertion = (need: AssertionNeed): Promise<string> => {
      needs.push(need);
      return server.sign(need);
    };
    const auth = server.auth({ client, grant: workloadIdentity({ assertion }) });
    expect(await whoami(server.url, auth)).toBe('build-7');
    vi.setSystemTime(Date.now() + 20 * minuteMs);
    expect(await whoami(server.url, auth)).toBe('build-7');
    const need = { audience: `${server.server.issuer}/token`, issuer: server.server.issuer, resource: server.url };
    expect(needs).toEqual([expect.objectContaining(need), expect.objectContaining(need)]);
    // The second was got ahead of time, not after a refusal.
    expect(server.steps.filter(({ step }) => step === 'challenge')).toHaveLength(1);
    expect(JSON.stringify(server.steps)).not.toMatch(/eyJ[\w-]+\.[\w-]+\./);
  });

  it('reads the assertion from a file', async () => {
    const server = await startTrusting();
    const folder = await mkdtemp(join(tmpdir(), 'tenon-token-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'token');
    await writeFile(path, `${await server.sign({ audience: server.server.issuer })}\n`);
    const auth = server.auth({ client, grant: workloadIdentity({ assertion: tokenFile(path) }) });
    expect(await whoami(server.url, auth)).toBe('build-7');
    const missing = server.auth({ client, grant: workloadIdentity({ assertion: tokenFile(join(folder, 'none')) }) });
    const error = await failureOf(connect({ url: server.url, auth: missing }));
    expect(error).toMatchObject({ code: 'authorization-failed', cause: { code: 'file-not-found' } });
    await writeFile(path, 'x'.repeat(70_000));
    await expect(tokenFile(path)()).rejects.toMatchObject({ code: 'file-too-large' });
    expect(() => tokenFile('')).toThrow(/path of a file/);
  });

  it('sends a refused assertion once, and tries no other grant', async () => {
    const server = await startTrusting();
    const foreign = await server.sign({ audience: 'https://other.example' });
    const auth = server.auth({ client, grant: workloadIdentity({ assertion: foreign }) });
    const error = await failureOf(connect({ url: server.url, auth }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'token', error: 'invalid_grant' } });
    expect(inspect(error, { depth: 9 })).not.toContain(foreign);
    expect(server.steps.filter(({ step }) => step === 'token')).toHaveLength(1);
    expect(server.signIns).toEqual([]);
  });

  it('names a function that fails, is too slow, or returns no JWT', async () => {
    const server = await startTrusting();
    const cause = new Error('no metadata service');
    const fails = (assertion: () => Promise<string>): Promise<TenonError> => {
      const options = { client, grant: workloadIdentity({ assertion }), timeouts: { signInMs: 200 } };
      return failureOf(connect({ url: server.url, auth: server.auth(options) }));
    };
    expect(await fails(() => Promise.reject(cause))).toMatchObject({ code: 'authorization-failed', cause });
    expect(await fails(() => new Promise(() => {}))).toMatchObject({ hint: expect.stringContaining('assertion') });
    const error = await fails(async () => 'canary-not-a-jwt');
    expect(error.message).toContain('no signed JWT');
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
  });

  it('names the option that is wrong', () => {
    expect(() => workloadIdentity({} as never)).toThrow(/assertion must be a JWT/);
    expect(() => workloadIdentity({ jwt: 'x' } as never)).toThrow(/Did you mean assertion/);
  });
});
