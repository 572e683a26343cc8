/** The development authorization server itself: where it listens, what it says, what it refuses, and its pages. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startDevAuthServer } from 'tenon/dev-auth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryAdapter } from '../../src/dev-auth/memory-adapter.ts';
import { resource, startAuth } from '../kit/auth/dev-auth.ts';
import { send } from '../kit/http/raw-http.ts';

describe('the server', () => {
  it('announces itself as not for production, in one line', async () => {
    const lines: string[] = [];
    const server = await startDevAuthServer({ onAnnounce: (line) => void lines.push(line) });
    onTestFinished(() => server.close());
    const text = 'not for production, everyone can sign in as any user.';
    expect(lines).toEqual([`Development authorization server at ${server.issuer}: ${text}`]);
  });

  it('listens on loopback only, and refuses other host names', async () => {
    const { server } = await startAuth();
    const { port, hostname } = new URL(server.issuer);
    expect(hostname).toBe('127.0.0.1');
    const paths = ['/.well-known/oauth-authorization-server', '/interaction/x', '/token'];
    for (const path of paths)
      expect(
        await send(server.issuer + path, { method: 'GET', headers: { host: `evil.example:${port}` } }),
      ).toMatchObject({
        status: 403,
        text: 'Host not allowed\n',
      });
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
    const others = addresses.filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others)
      await expect(fetch(`http://${address}:${port}/jwks`)).rejects.toThrow('fetch failed');
  });

  it('publishes its metadata as RFC 8414 and as OpenID Connect Discovery, readable by pages of every origin [s-auth-10, s-auth-13, s-auth-90, e-auth-10, e-auth-23, e-auth-108, ext-cc-04, ext-cc-05, ext-dpop-07, ext-dpop-08]', async () => {
    const { server, metadata } = await startAuth();
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const headers = { origin: 'https://any.example' };
      const response = await fetch(`${server.issuer}/.well-known/${name}`, { headers });
      expect(response.headers.get('access-control-allow-origin')).toBe('https://any.example');
      expect(await response.json()).toEqual(metadata);
    }
    expect(metadata).toMatchObject({
      issuer: server.issuer,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      registration_endpoint: expect.any(String),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic', 'private_key_jwt']),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA'],
    });
  });

  it('answers the preflight of a page at the token endpoint', async () => {
    const { metadata } = await startAuth();
    const headers = { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' };
    const answer = await send(String(metadata.token_endpoint), { method: 'OPTIONS', headers });
    expect(answer).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': 'http://localhost:6274' } });
  });

  it('has other keys at every start, none of them private', async () => {
    const keysOf = async () => (await fetch((await startAuth()).metadata.jwks_uri as string)).json();
    const [first, second] = [await keysOf(), await keysOf()];
    expect(first.keys).toHaveLength(1);
    expect(Object.keys(first.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(first.keys[0].kid).not.toBe(second.keys[0].kid);
  });

  it('frees its port, also while a browser keeps a connection', async () => {
    const { server } = await startAuth();
    await fetch(`${server.issuer}/jwks`);
    await server.close();
    await expect(fetch(`${server.issuer}/jwks`)).rejects.toThrow('fetch failed');
  });

  it('names the package to install where it is missing', async () => {
    vi.resetModules();
    vi.doMock('oidc-provider', () => {
      throw Object.assign(new Error("Cannot find package 'oidc-provider'"), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    onTestFinished(() => void vi.doUnmock('oidc-provider'));
    const { startDevAuthServer: start } = await import('../../src/dev-auth/start.ts');
    await expect(start()).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('npm install --save-dev oidc-provider jose'),
    });
  });

  it('reports a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const message = `startDevAuthServer() cannot listen on port ${port}. Set another port, or 0 for any free one.`;
    await expect(startDevAuthServer({ port })).rejects.toMatchObject({ code: 'listen-failed', message });
  });
});

describe('wrong options', () => {
  it.each([
    [{ user: {} }, 'Did you mean users?'],
    [{ resources: ['files'] }, "resources must be a list of URLs such as ['http://127.0.0.1:3000/mcp']"],
    [{ users: {} }, 'users must be an object of the claims of each user'],
    [{ quirks: ['no-is'] }, "quirks must be a list of 'rejects-resource'"],
    [{ ttl: 1 }, 'Did you mean lifetimes?'],
    [{ maxEntries: 3 }, 'maxEntries is fixed at 10000. Remove it.'],
    [{ lifetimes: { codeMs: 0 } }, 'lifetimes.codeMs must be milliseconds over 0'],
    [{ clients: [{ client_secret: 'x' }] }, 'clients must be a list of client metadata'],
    [{ clients: [{ client_id: 'a', redirect_uris: ['nowhere'] }] }, 'clients[0] is not valid: redirect_uris must only'],
  ])('%j is refused with the fix', async (options, text) => {
    const starting = startDevAuthServer({ onAnnounce: () => {}, ...options } as never);
    await expect(starting).rejects.toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(text) });
  });
});

describe('the pages', () => {
  /** The first page of a sign-in, with its cookies. */
  async function signInPage(auth: Awaited<ReturnType<typeof startAuth>>, clientName: string) {
    const client = await auth.register({ client_name: clientName });
    const url = new URL(String(auth.metadata.authorization_endpoint));
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    url.search = new URLSearchParams({ response_type: 'code', client_id: client, resource, ...pkce }).toString();
    const redirect = await fetch(url, { redirect: 'manual' });
    const cookie = redirect.headers.getSetCookie().map((line) => line.split(';')[0]);
    const at = new URL(redirect.headers.get('location') ?? '', url);
    return { at, headers: { cookie: cookie.join('; ') } };
  }

  it('escape what clients send, load nothing, and are never framed', async () => {
    const auth = await startAuth({ users: { 'a"b': {} } });
    const { at, headers } = await signInPage(auth, '<script>alert(1)</script>');
    const response = await fetch(at, { headers });
    const html = await response.text();
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('value="a&quot;b"');
    expect(html).not.toMatch(/<script|https?:\/\//);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    );
  });

  it('show where the browser goes next, and warn of a program on this computer [s-auth-99, s-auth-101, e-auth-117, e-auth-119]', async () => {
    const auth = await startAuth();
    const { at, headers } = await signInPage(auth, 'App');
    const signedIn = await fetch(at, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ user: 'ada' }),
      redirect: 'manual',
    });
    const resumed = await fetch(signedIn.headers.get('location') ?? '', { headers, redirect: 'manual' });
    const cookie = resumed.headers.getSetCookie().map((line) => line.split(';')[0]);
    const consent = new URL(resumed.headers.get('location') ?? '', at);
    const html = await (await fetch(consent, { headers: { cookie: cookie.join('; ') } })).text();
    expect(html).toContain('Allow <b>App</b> to act for <b>ada</b>');
    expect(html).toContain('You are then sent to <b>127.0.0.1:5999</b>');
    expect(html).toContain('Allow it only if you started it yourself.');
  });

  it('refuse an unknown user, a form without the cookies, and one that is too large', async () => {
    const auth = await startAuth();
    const { at, headers } = await signInPage(auth, 'App');
    const post = async (body: URLSearchParams, more = headers) => {
      const response = await fetch(at, { method: 'POST', headers: more, body, redirect: 'manual' });
      return [response.status, (await response.text()).replace(/[\s\S]*<b>|<\/b>[\s\S]*/g, '')];
    };
    expect(await post(new URLSearchParams({ user: 'eve' }))).toEqual([400, 'Unknown user']);
    expect(await post(new URLSearchParams({ user: 'ada' }), { cookie: '' })).toEqual([400, 'This sign-in is over']);
    expect(await post(new URLSearchParams({ user: 'x'.repeat(5000) }))).toEqual([400, 'This sign-in is over']);
    expect((await post(new URLSearchParams({ user: 'ada' })))[0]).toBe(303);
  });
});

describe('what is stored', () => {
  it('is bounded: the expired entries are dropped first, then the oldest', async () => {
    let now = 0;
    const adapter = createMemoryAdapter(3, () => now)('Session');
    await adapter.upsert('short', {}, 1);
    for (const id of ['a', 'b']) await adapter.upsert(id, { uid: `uid-${id}` }, 60);
    now = 2000;
    await adapter.upsert('c', {}, 60);
    const found = async () => {
      const all = await Promise.all(['short', 'a', 'b', 'c', 'd'].map((id) => adapter.find(id)));
      return all.map((payload) => payload !== undefined);
    };
    expect(await found()).toEqual([false, true, true, true, false]);
    await adapter.upsert('d', {}, 60);
    expect(await found()).toEqual([false, false, true, true, true]);
    expect([await adapter.findByUid('uid-a'), await adapter.findByUid('uid-b')]).toEqual([undefined, { uid: 'uid-b' }]);
  });
});
