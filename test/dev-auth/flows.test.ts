/** What a client does at the development authorization server, from registration to revocation. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer, serveHttp, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, claimsOf, deviceGrant, redirectUri, resource, startAuth } from '../kit/auth/dev-auth.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';

const withRefresh = { grant_types: ['authorization_code', 'refresh_token'] };

describe('the code flow', () => {
  it('gives a JWT for the resource, which a protected server accepts [S22]', async () => {
    const auth = await startAuth({ users: { ada: { roles: ['admin'] } } });
    const whoami = tool({}, (_, { caller }) => `${caller.principal?.subject} ${caller.principal?.roles}`);
    const server = createServer({ name: 'files', version: '1', tools: { whoami } });
    const authenticate = protect({ issuer: auth.server.issuer, resource, scopes: ['files:read'] });
    const service = await serveHttp(server, { port: 0, authenticate });
    onTestFinished(() => service.close());
    const client = await auth.register();
    const back = await auth.authorize(client, { resource, scope: 'files:read' });
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([redirectUri, 'state-1']);
    expect(back.searchParams.get('iss')).toBe(auth.server.issuer);
    const { body } = await auth.redeem(client, back, { resource });
    expect(claimsOf(body.access_token)).toMatchObject({ iss: auth.server.issuer, sub: 'ada', aud: resource });
    const call = (token: string) => {
      const sent = loneCall('whoami');
      return send(service.url, { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } });
    };
    expect(await call(body.access_token)).toMatchObject({ json: { result: { content: [{ text: 'ada admin' }] } } });
    expect((await call('x'.repeat(40))).status).toBe(401);
  });

  it('needs PKCE, and redeems a code once', async () => {
    const auth = await startAuth();
    const client = await auth.register();
    const without = await auth.authorize(client, { code_challenge: '', code_challenge_method: '' });
    expect(without.searchParams.get('error')).toBe('invalid_request');
    const back = await auth.authorize(client, { resource });
    expect((await auth.redeem(client, back, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant');
    const again = await auth.authorize(client, { resource });
    expect((await auth.redeem(client, again)).status).toBe(200);
    expect((await auth.redeem(client, again)).body.error).toBe('invalid_grant');
    expect(auth.redemptions('authorization_code')).toBe(1);
  });

  it('gives the client an error when the user denies access', async () => {
    const auth = await startAuth();
    const client = await auth.register();
    const url = new URL(String(auth.metadata.authorization_endpoint));
    const pkce = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    url.search = new URLSearchParams({ response_type: 'code', client_id: client, ...pkce }).toString();
    const back = await auth.server.signIn(url, { user: 'grace', deny: true });
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(auth.events).toContainEqual({ type: 'denied', client, user: 'grace' });
  });

  it('grants only the scopes and resources of the options, where they are set [s-security-49]', async () => {
    const auth = await startAuth({ resources: [resource], scopes: ['files:read'] });
    expect(auth.metadata.scopes_supported).toEqual(['openid', 'offline_access', 'files:read']);
    const client = await auth.register();
    const { body } = await auth.redeem(client, await auth.authorize(client, { scope: 'files:read files:write' }));
    expect(claimsOf(body.access_token)).toMatchObject({ aud: resource, scope: 'files:read' });
    const other = await auth.authorize(client, { resource: 'http://127.0.0.1:3001/mcp' });
    expect(other.searchParams.get('error')).toBe('invalid_target');
  });

  it('answers a request without scopes with a token without any', async () => {
    const auth = await startAuth();
    const client = await auth.register();
    const { body } = await auth.redeem(client, await auth.authorize(client, { resource }));
    expect([Object.hasOwn(body, 'scope'), Object.hasOwn(claimsOf(body.access_token), 'scope')]).toEqual([false, false]);
  });

  it('accepts a client by its metadata document, without a network [s-auth-08]', async () => {
    const id = 'https://app.example/client.json';
    const document = { client_id: id, client_name: 'App', redirect_uris: [redirectUri] };
    const auth = await startAuth({
      clientDocuments: { [id]: { ...document, token_endpoint_auth_method: 'none', scope: 'files:read' } },
    });
    expect(auth.metadata.client_id_metadata_document_supported).toBe(true);
    const { body } = await auth.redeem(id, await auth.authorize(id, { resource }));
    expect(claimsOf(body.access_token).client_id).toBe(id);
  });
});

describe('a request that the server cannot trust', () => {
  it('is not redirected: an address that is not registered gets a page [s-auth-92, s-auth-94, e-auth-110, e-auth-112, ext-ema-22, s-auth-92@2025-03-26]', async () => {
    const auth = await startAuth();
    const client = await auth.register();
    for (const other of ['https://evil.example/callback', `${redirectUri}/more`, `${redirectUri}?x=1`])
      await expect(auth.authorize(client, { redirect_uri: other })).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('invalid_redirect_uri'),
      });
  });

  it('is not redirected: a metadata document with another id, another address or no address [s-auth-39, s-auth-41, s-auth-42, e-auth-81, e-auth-82, e-auth-83]', async () => {
    const id = 'https://app.example/client.json';
    const document = { client_id: id, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
    const bad = [
      { ...document, client_id: 'https://app.example/other.json' },
      { ...document, redirect_uris: ['http://127.0.0.1/elsewhere'] },
      { ...document, redirect_uris: undefined },
    ];
    for (const each of bad) {
      const auth = await startAuth({ clientDocuments: { [id]: each } });
      await expect(auth.authorize(id, { resource })).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });
});

describe('refresh tokens', () => {
  it('of a public client rotate; the use of an old one revokes all [s-auth-81, e-auth-102]', async () => {
    const auth = await startAuth();
    const client = await auth.register(withRefresh);
    const first = await auth.redeem(client, await auth.authorize(client, { resource, scope: 'files:read' }));
    const refresh = (token: string) =>
      auth.token({ grant_type: 'refresh_token', refresh_token: token, client_id: client, resource });
    const second = await refresh(first.body.refresh_token);
    expect(claimsOf(second.body.access_token)).toMatchObject({ aud: resource, scope: 'files:read' });
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect((await refresh(first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant');
    expect([auth.redemptions('refresh_token'), auth.events.some(({ type }) => type === 'revoked')]).toEqual([1, true]);
  });

  it('are revoked by their client', async () => {
    const auth = await startAuth();
    const client = await auth.register(withRefresh);
    const { body } = await auth.redeem(client, await auth.authorize(client, { resource }));
    const token = body.refresh_token;
    expect((await auth.send('revocation_endpoint', { token, client_id: client })).status).toBe(200);
    const refresh = { grant_type: 'refresh_token', refresh_token: token, client_id: client };
    expect((await auth.token(refresh)).body.error).toBe('invalid_grant');
  });
});

describe('clients without a browser', () => {
  it('get a token with their secret, or with a signed assertion', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }];
    const auth = await startAuth({
      clients: [
        { client_id: 'job', client_secret: 'job-secret' },
        { client_id: 'signer', jwks: { keys } },
      ],
    });
    const grant = { grant_type: 'client_credentials', resource, scope: 'files:read' };
    const bySecret = await auth.token(grant, basic('job', 'job-secret'));
    expect(claimsOf(bySecret.body.access_token)).toMatchObject({ sub: 'job', aud: resource, scope: 'files:read' });
    expect((await auth.token(grant, basic('job', 'wrong'))).status).toBe(401);
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('signer')
      .setSubject('signer')
      .setAudience(auth.server.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const signed = { ...grant, client_id: 'signer', client_assertion: assertion, client_assertion_type: type };
    expect(claimsOf((await auth.token(signed)).body.access_token)).toMatchObject({ sub: 'signer' });
  });

  it('get a token for a device that a user approves, and none for one that a user denies', async () => {
    const auth = await startAuth();
    const client = await auth.register({ grant_types: [deviceGrant, 'refresh_token'], response_types: [] });
    const start = () =>
      auth.send('device_authorization_endpoint', { client_id: client, resource, scope: 'files:read' });
    const poll = (code: unknown) =>
      auth.token({ grant_type: deviceGrant, device_code: String(code), client_id: client });
    const { body } = await start();
    expect(body.interval).toBe(1);
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
    await auth.server.approveDevice(String(body.verification_uri_complete), { user: 'grace' });
    expect(claimsOf((await poll(body.device_code)).body.access_token)).toMatchObject({ sub: 'grace', aud: resource });
    const denied = (await start()).body;
    await auth.server.approveDevice(String(denied.verification_uri_complete), { deny: true });
    expect((await poll(denied.device_code)).body.error).toBe('access_denied');
  });
});

describe('access tokens', () => {
  it('are opaque where the options say so, and read by introspection', async () => {
    const auth = await startAuth({
      accessTokens: 'opaque',
      clients: [{ client_id: 'api', client_secret: 'api-secret' }],
    });
    const client = await auth.register();
    const { body } = await auth.redeem(client, await auth.authorize(client, { resource, scope: 'files:read' }));
    const introspect = (token: string) => auth.send('introspection_endpoint', { token }, basic('api', 'api-secret'));
    expect((await introspect(body.access_token)).body).toMatchObject({
      active: true,
      sub: 'ada',
      aud: resource,
      scope: 'files:read',
      client_id: client,
    });
    expect((await introspect('unknown')).body).toEqual({ active: false });
  });

  it('are bound to the key of a DPoP proof', async () => {
    const auth = await startAuth();
    const client = await auth.register();
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const proof = await new SignJWT({ htm: 'POST', htu: auth.metadata.token_endpoint, jti: 'proof-1' })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
    const { body } = await auth.redeem(client, await auth.authorize(client, { resource }), {}, { dpop: proof });
    expect(body.token_type).toBe('DPoP');
    expect(claimsOf(body.access_token).cnf).toEqual({ jkt: await calculateJwkThumbprint(jwk) });
  });

  it('expire after 10 minutes, or the lifetime of the options [s-auth-80, e-auth-101]', async () => {
    for (const [lifetimes, seconds] of [
      [{}, 600],
      [{ accessTokenMs: 1500 }, 2],
    ] as const) {
      const auth = await startAuth({ lifetimes });
      const client = await auth.register();
      const { body } = await auth.redeem(client, await auth.authorize(client, { resource }));
      const { iat, exp } = claimsOf(body.access_token) as { iat: number; exp: number };
      expect([body.expires_in, exp - iat]).toEqual([seconds, seconds]);
    }
  });
});
