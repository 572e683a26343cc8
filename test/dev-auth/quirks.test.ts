/** Each quirk makes the server differ from the specifications in one way, and in no other. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { DevAuthQuirk } from 'tenon/dev-auth';
import { expect, it } from 'vitest';
import { basic, claimsOf, redirectUri, resource, startAuth } from '../kit/auth/dev-auth.ts';

const app = { client_id: 'app', client_secret: 'app-secret', redirect_uris: [redirectUri] };
const start = (quirk: DevAuthQuirk, client: object = {}) =>
  startAuth({ quirks: [quirk], resources: [resource], clients: [{ ...app, ...client }] });
const secret = basic('app', 'app-secret');

it('rejects-resource: `resource` fails at both endpoints; without it the token is for the first resource', async () => {
  const auth = await start('rejects-resource');
  const refused = await auth.authorize('app', { resource });
  expect(refused.searchParams.get('error')).toBe('invalid_target');
  const back = await auth.authorize('app', { scope: 'files:read' });
  const wrong = await auth.redeem('app', await auth.authorize('app'), { resource }, secret);
  expect(wrong.body).toMatchObject({
    error: 'invalid_target',
    error_description: expect.stringContaining('AADSTS9010010'),
  });
  const { body } = await auth.redeem('app', back, {}, secret);
  expect(claimsOf(body.access_token)).toMatchObject({ aud: resource, scope: 'files:read' });
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  expect((await auth.token({ ...refresh, resource }, secret)).body.error).toBe('invalid_target');
  expect(claimsOf((await auth.token(refresh, secret)).body.access_token).aud).toBe(resource);
  const credentials = { grant_type: 'client_credentials' };
  expect((await auth.token({ ...credentials, resource }, secret)).body.error).toBe('invalid_target');
  expect(claimsOf((await auth.token(credentials, secret)).body.access_token).aud).toBe(resource);
});

it('scope-on-refresh: a refresh needs `scope`, and one without it costs nothing', async () => {
  const auth = await start('scope-on-refresh');
  const { body } = await auth.redeem('app', await auth.authorize('app', { resource, scope: 'files:read' }), {}, secret);
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
  const refused = await auth.token(refresh, secret);
  expect(refused.body).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('AADSTS90009'),
  });
  const { status } = await auth.token({ ...refresh, scope: 'files:read' }, secret);
  expect([status, auth.redemptions('refresh_token')]).toEqual([200, 1]);
});

it('rotates-refresh-tokens: a confidential client gets a new one each time; without the quirk it keeps its own', async () => {
  for (const quirks of [['rotates-refresh-tokens'], []] as const) {
    const auth = await startAuth({ quirks, clients: [app] });
    const { body } = await auth.redeem('app', await auth.authorize('app', { resource }), {}, secret);
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const second = await auth.token(refresh, secret);
    expect(second.body.refresh_token === body.refresh_token).toBe(quirks.length === 0);
    expect((await auth.token(refresh, secret)).status).toBe(quirks.length === 0 ? 200 : 400);
  }
});

it('no-registration: the metadata has no endpoint for it', async () => {
  const auth = await start('no-registration');
  expect(auth.metadata.registration_endpoint).toBeUndefined();
  expect((await fetch(`${auth.server.issuer}/reg`, { method: 'POST' })).status).toBe(404);
  expect((await auth.redeem('app', await auth.authorize('app', { resource }), {}, secret)).status).toBe(200);
});

it('no-iss: neither a code nor an error comes with `iss`, and the metadata promises none', async () => {
  const auth = await start('no-iss');
  expect(auth.metadata.authorization_response_iss_parameter_supported).toBeUndefined();
  const back = await auth.authorize('app', { resource });
  const refused = await auth.authorize('app', { resource: 'http://127.0.0.1:3001/other' });
  expect([back.searchParams.has('code'), back.searchParams.has('iss')]).toEqual([true, false]);
  expect([refused.searchParams.has('error'), refused.searchParams.has('iss')]).toEqual([true, false]);
});

it('post-only: the secret in the header is refused with 401 although the metadata lists it', async () => {
  const auth = await start('post-only', { token_endpoint_auth_method: 'client_secret_post' });
  expect(auth.metadata.token_endpoint_auth_methods_supported).toContain('client_secret_basic');
  const grant = { grant_type: 'client_credentials', resource };
  expect(await auth.token(grant, secret)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  const posted = { ...grant, client_id: 'app', client_secret: 'app-secret' };
  expect((await auth.token(posted)).status).toBe(200);
});

it('dpop-nonce: tokens need a DPoP proof with a nonce of the server [ext-dpop-11]', async () => {
  const auth = await start('dpop-nonce');
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const prove = (jti: string, nonce?: string) =>
    new SignJWT({ htm: 'POST', htu: auth.metadata.token_endpoint, jti, ...(nonce !== undefined && { nonce }) })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(privateKey);
  const grant = { grant_type: 'client_credentials', resource };
  expect((await auth.token(grant, secret)).status).toBe(400);
  const asked = await auth.token(grant, { ...secret, dpop: await prove('1') });
  expect(asked.body.error).toBe('use_dpop_nonce');
  const nonce = asked.headers.get('dpop-nonce') ?? '';
  const { body } = await auth.token(grant, { ...secret, dpop: await prove('2', nonce) });
  expect([body.token_type, claimsOf(body.access_token).cnf]).toEqual(['DPoP', { jkt: expect.any(String) }]);
});
