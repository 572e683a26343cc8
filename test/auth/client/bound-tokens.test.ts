/** Tokens that are bound to a key (DPoP): proofs at both servers, nonces, and where the key is. */
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader } from 'jose';
import { connect, type TenonError } from 'tenon';
import { clientCredentials, type OAuth, oauth } from 'tenon/auth';
import { type CredentialStore } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';
import { startScriptedAuthority } from '../../kit/auth/scripted-authority.ts';
import { refuse, scripted } from '../../kit/http/scripted-server.ts';

/** Both sides read the date, so that tokens expire without waiting. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

interface Stored {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly bindingKey: { readonly d: string; readonly kty: string; readonly alg: string };
}

const storedTokens = async (store: CredentialStore, { server, url }: ProtectedServer): Promise<Stored> =>
  (await store.read(JSON.stringify(['tokens', server.issuer, url])))?.value as Stored;

async function whoami(url: string, auth: OAuth): Promise<unknown> {
  const client = await connect({ url, auth });
  const { content } = await client.tools.call('whoami');
  await client.close();
  return content;
}

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

const ada = [{ text: 'ada' }];

describe('Tokens of a server that asks for DPoP', () => {
  it('are bound to a key and sent with a fresh proof, the nonces of both servers included [ext-dpop-01, ext-dpop-09]', async () => {
    const server = await startProtected(() => ({ quirks: ['dpop-nonce'] }), {
      dpop: { mode: 'required', nonces: true },
    });
    const store = memoryCredentials();
    const auth = server.auth({ store });
    expect(await whoami(server.url, auth)).toMatchObject(ada);
    const { accessToken, tokenType, bindingKey } = await storedTokens(store, server);
    expect([tokenType, bindingKey.alg]).toEqual(['dpop', 'ES256']);
    expect(decodeJwt(accessToken).cnf).toEqual({ jkt: await calculateJwkThumbprint(bindingKey) });
    // The server uses up the id of each proof: all requests had their own.
    expect(await whoami(server.url, auth)).toMatchObject(ada);
    expect(server.redemptions('authorization_code')).toBe(1);
  });

  it('are refreshed with the same key, also by another process', async () => {
    const server = await startProtected(() => ({ quirks: ['dpop-nonce'] }), { dpop: 'required' });
    const store = memoryCredentials();
    expect(await whoami(server.url, server.auth({ store }))).toMatchObject(ada);
    const before = await storedTokens(store, server);
    vi.setSystemTime(Date.now() + 20 * 60_000);
    expect(await whoami(server.url, server.auth({ store }))).toMatchObject(ada);
    const after = await storedTokens(store, server);
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(after.bindingKey).toEqual(before.bindingKey);
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([1, 1]);
  });

  it('are refreshed with the key of the stored tokens, where another process has signed in since', async () => {
    const server = await startProtected(undefined, { dpop: 'required' });
    const store = memoryCredentials();
    const client = await connect({ url: server.url, auth: server.auth({ store }) });
    const key = JSON.stringify(['tokens', server.server.issuer, server.url]);
    await store.swap(key, (await store.read(key))?.version, undefined);
    expect(await whoami(server.url, server.auth({ store }))).toMatchObject(ada);
    vi.setSystemTime(Date.now() + 20 * 60_000);
    expect((await client.tools.call('whoami')).content).toMatchObject(ada);
    await client.close();
    expect([server.signIns.length, server.redemptions('refresh_token')]).toEqual([2, 1]);
  });

  it.each(['required', 'optional'] as const)('stay bound when a call needs more scopes; DPoP is %s', async (dpop) => {
    const server = await startProtected(undefined, { dpop });
    const store = memoryCredentials();
    const client = await connect({ url: server.url, auth: server.auth({ store }) });
    expect((await client.tools.call('write')).content).toMatchObject([{ text: 'written' }]);
    await client.close();
    expect(await storedTokens(store, server)).toMatchObject({ tokenType: 'dpop' });
    expect(server.redemptions('authorization_code')).toBe(2);
  });

  it('have a private key that is in the store and nowhere else [ext-dpop-13]', async () => {
    const server = await startProtected(() => ({ quirks: ['dpop-nonce'] }), { dpop: 'required' });
    const store = memoryCredentials();
    const sent: string[] = [];
    const recording: typeof fetch = (url, init) => {
      sent.push(`${String(url)} ${JSON.stringify(init?.headers)} ${String(init?.body)}`);
      return fetch(url, init);
    };
    await whoami(server.url, server.auth({ store, fetch: recording }));
    const { bindingKey } = await storedTokens(store, server);
    expect(bindingKey.d.length).toBeGreaterThan(40);
    expect(JSON.stringify([server.steps, sent])).not.toContain(bindingKey.d);
    expect(sent.some((one) => /"dpop":/i.test(one))).toBe(true);
  });

  it('are bound for web applications, which finish the sign-in later', async () => {
    const server = await startProtected(() => ({ quirks: ['dpop-nonce'] }), { dpop: 'required' });
    const store = memoryCredentials();
    const auth = server.auth({ store, signIn: { redirectUri: 'http://127.0.0.1:5999/callback' } });
    const required = await failureOf(whoami(server.url, auth));
    expect(required.code).toBe('sign-in-required');
    await auth.finishSignIn(await server.server.signIn(new URL(String(required.details.url))));
    expect(await whoami(server.url, auth)).toMatchObject(ada);
    expect((await storedTokens(store, server)).tokenType).toBe('dpop');
  });
});

describe('The option dpop', () => {
  it('binds tokens where the server does not ask for it, and leaves them unbound where it is false', async () => {
    const clients = [{ client_id: 'job', client_secret: 'secret' }];
    const server = await startProtected(() => ({ clients }), { dpop: 'optional' });
    const client = { clientId: 'job', clientSecret: 'secret', issuer: server.server.issuer };
    for (const dpop of [true, false]) {
      const store = memoryCredentials();
      await whoami(server.url, server.auth({ store, dpop, client, grant: clientCredentials() }));
      expect((await storedTokens(store, server)).tokenType).toBe(dpop ? 'dpop' : 'bearer');
    }
  });

  it('fails closed where the authorization server cannot, or does not, bind tokens', async () => {
    const authority = await startScriptedAuthority();
    const server = await scripted(({ response }) => refuse(response, 401, undefined, { 'www-authenticate': 'Bearer' }));
    // Without metadata of the resource its origin is the authorization server.
    const toAuthority: typeof fetch = (url, init) =>
      fetch(String(url).replace(new URL(server.url).origin, authority.issuer), init);
    authority.metadata = { ...authority.metadata, issuer: new URL(server.url).origin };
    const { signIn } = authority;
    const bound = (): OAuth => oauth({ signIn, dpop: true, fetch: toAuthority });
    expect((await failureOf(connect({ url: server.url, auth: bound() }))).message).toContain('dpop_signing_alg');
    authority.metadata.dpop_signing_alg_values_supported = ['ES256'];
    expect((await failureOf(connect({ url: server.url, auth: bound() }))).message).toContain('token of type bearer');
  });

  it('answers a nonce of the server once for a request', async () => {
    const authority = await startScriptedAuthority();
    const proofs: string[] = [];
    const server = await scripted(({ headers, response }) => {
      const proof = headers.dpop;
      if (typeof proof === 'string') proofs.push(proof);
      const challenge = proof === undefined ? 'DPoP' : 'DPoP error="use_dpop_nonce"';
      return refuse(response, 401, undefined, { 'www-authenticate': challenge, 'dpop-nonce': `n${proofs.length}` });
    });
    const { origin } = new URL(server.url);
    const toAuthority: typeof fetch = (url, init) => fetch(String(url).replace(origin, authority.issuer), init);
    authority.metadata = { ...authority.metadata, issuer: origin, dpop_signing_alg_values_supported: ['ES256'] };
    authority.routes['/token'] = () => ({ body: { access_token: 'opaque', token_type: 'DPoP' } });
    const auth = oauth({ signIn: authority.signIn, fetch: toAuthority });
    expect(await failureOf(connect({ url: server.url, auth }))).toMatchObject({ code: 'unauthorized' });
    expect(proofs.map((proof) => decodeJwt(proof).nonce)).toEqual([undefined, 'n1']);
    const [first, second] = proofs.map((proof) => decodeJwt(proof));
    expect(first?.jti).not.toBe(second?.jti);
    expect(second).toMatchObject({ htm: 'POST', htu: server.url });
    expect(decodeProtectedHeader(proofs[0] ?? '')).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' });
    expect(decodeProtectedHeader(proofs[0] ?? '').jwk).not.toHaveProperty('d');
  });
});
