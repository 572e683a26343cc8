/** Assertions at the development authorization server: of an identity provider (ID-JAG), and of workloads. */
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { basic, claimsOf, redirectUri, resource, startAuth } from '../kit/auth/dev-auth.ts';

const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const secret = basic('app', 'app-secret');
const issuer = 'https://workloads.example';

/** A server that trusts an issuer, and a way to sign assertions of it. */
async function startTrusting() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'key-1' }];
  const auth = await startAuth({
    resources: [resource],
    trustedIssuers: [{ issuer, jwks: { keys } }],
    clients: [{ client_id: 'app', client_secret: 'app-secret', grant_types: [bearer] }],
  });
  let count = 0;
  const sign = (claims: Record<string, unknown> = {}, header: object = {}, key: CryptoKey = privateKey) => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300 };
    const valid = { iss: issuer, sub: 'build-7', aud: auth.server.issuer, jti: String(++count), ...times };
    return new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key);
  };
  const redeem = async (assertion: string, parameters: Record<string, string> = {}) =>
    auth.token({ grant_type: bearer, assertion, ...parameters }, secret);
  return { auth, sign, redeem };
}

describe('an assertion of a trusted issuer', () => {
  it('gives a token for its subject and the requested resource [ext-wif-04, ext-wif-06, ext-wif-08, ext-wif-09]', async () => {
    const { auth, sign, redeem } = await startTrusting();
    expect(auth.metadata.grant_types_supported).toContain(bearer);
    const { body } = await redeem(await sign({ aud: `${auth.server.issuer}/token` }), {
      resource,
      scope: 'files:read',
    });
    expect(claimsOf(body.access_token)).toMatchObject({ sub: 'build-7', aud: resource, scope: 'files:read' });
  });

  it('is refused if it is forged, expired, foreign, incomplete or used before [ext-ema-12, ext-ema-15, ext-ema-26]', async () => {
    const { sign, redeem } = await startTrusting();
    const other = await generateKeyPair('ES256');
    const bad = {
      forged: await sign({}, {}, other.privateKey),
      expired: await sign({ exp: Math.floor(Date.now() / 1000) - 60 }),
      foreign: await sign({ iss: 'https://other.example' }),
      misdirected: await sign({ aud: 'https://other.example' }),
      nameless: await sign({ sub: undefined }),
      undated: await sign({ iat: undefined }),
      unnumbered: await sign({ jti: undefined }),
      elsewhere: await sign({ resource: 'https://other.example/mcp' }),
      unsigned: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await sign()).split('.')[1]}.`,
      malformed: 'x',
    };
    for (const [name, assertion] of Object.entries(bad))
      expect([name, (await redeem(assertion)).body.error]).toEqual([name, 'invalid_grant']);
    const once = await sign();
    expect((await redeem(once)).status).toBe(200);
    expect((await redeem(once)).body.error).toBe('invalid_grant');
  });

  it('as an ID-JAG is for one client and one resource, and limits the scopes [ext-ema-06, ext-ema-09]', async () => {
    const { auth, sign, redeem } = await startTrusting();
    expect(auth.metadata.authorization_grant_profiles_supported).toEqual([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ]);
    const typ = 'oauth-id-jag+jwt';
    const claims = { client_id: 'app', resource, scope: 'files:read files:list' };
    const { body } = await redeem(await sign(claims, { typ }), { scope: 'files:read files:write' });
    expect(claimsOf(body.access_token)).toMatchObject({ aud: resource, scope: 'files:read', client_id: 'app' });
    const stolen = await sign({ ...claims, client_id: 'other' }, { typ });
    expect((await redeem(stolen)).body.error).toBe('invalid_grant');
    const moved = await redeem(await sign(claims, { typ }), { resource: 'https://other.example/mcp' });
    expect(moved.body.error).toBe('invalid_grant');
  });
});

it('an ID token of one server becomes an ID-JAG, which another server accepts', async () => {
  const app = { client_id: 'app', client_secret: 'app-secret' };
  const provider = await startAuth({
    clients: [{ ...app, redirect_uris: [redirectUri], grant_types: ['authorization_code', exchange] }],
  });
  const jwks = await (await fetch(String(provider.metadata.jwks_uri))).json();
  const auth = await startAuth({
    resources: [resource],
    trustedIssuers: [{ issuer: provider.server.issuer, jwks }],
    clients: [{ ...app, grant_types: [bearer] }],
  });
  const back = await provider.authorize('app', { scope: 'openid' });
  const { body } = await provider.redeem('app', back, {}, secret);
  const request = {
    grant_type: exchange,
    subject_token: String(body.id_token),
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    audience: auth.server.issuer,
    resource,
    scope: 'files:read',
  };
  const exchanged = await provider.token(request, secret);
  expect(exchanged.body).toMatchObject({ issued_token_type: request.requested_token_type, expires_in: 300 });
  const redeemed = await auth.token({ grant_type: bearer, assertion: exchanged.body.access_token }, secret);
  expect(claimsOf(redeemed.body.access_token)).toMatchObject({ sub: 'ada', aud: resource, scope: 'files:read' });
  const wrong = { ...request, subject_token: body.access_token };
  expect((await provider.token(wrong, secret)).body.error).toBe('invalid_grant');
});
