/** Enterprise-managed authorization: the identity provider of a company and the authorization server of a server, both real. */
import { inspect } from 'node:util';
import { connect, type TenonError } from 'tenon';
import { enterpriseManaged, type OAuth } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { ownCertificate } from '../../client/http/fixtures/certificates.ts';
import { setUp } from '../../kit/auth/challenging-server.ts';
import { claimsOf, redirectUri, startAuth, type TestedServer } from '../../kit/auth/dev-auth.ts';
import { type ProtectedServer, startProtected } from '../../kit/auth/protected-server.ts';
import { startScriptedAuthority } from '../../kit/auth/scripted-authority.ts';

const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

interface Company {
  readonly idp: TestedServer;
  readonly server: ProtectedServer;
  /** What ada got when she signed in at the identity provider. */
  readonly idToken: string;
  auth(idToken?: string): OAuth;
}

/** The client has the same id at both, as an ID-JAG names it. */
async function startCompany(): Promise<Company> {
  const idp = await startAuth({
    clients: [
      {
        client_id: 'assistant',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', exchange],
      },
    ],
  });
  const { keys } = (await (await fetch(String(idp.metadata.jwks_uri))).json()) as { keys: object[] };
  const server = await startProtected((url) => ({
    resources: [url],
    trustedIssuers: [{ issuer: idp.server.issuer, jwks: { keys } }],
    clients: [{ client_id: 'assistant', client_secret: 'canary-secret', grant_types: [bearer] }],
  }));
  const { body } = await idp.redeem('assistant', await idp.authorize('assistant', { scope: 'openid' }));
  const own = String(body.id_token);
  const { issuer } = server.server;
  const client = { clientId: 'assistant', clientSecret: 'canary-secret', issuer };
  return {
    idp,
    server,
    idToken: own,
    auth: (idToken = own) =>
      server.auth({
        client,
        grant: enterpriseManaged({
          idpIssuer: idp.server.issuer,
          idpClient: { clientId: 'assistant' },
          idToken: async () => idToken,
        }),
      }),
  };
}

const failureOf = (promise: Promise<unknown>): Promise<TenonError> =>
  promise.then(
    () => expect.unreachable('It should have failed.'),
    (error: TenonError) => error,
  );

describe('Enterprise-managed authorization', () => {
  it('exchanges the ID token for an ID-JAG, and that for a token of the person [ext-ema-01, ext-ema-02, ext-ema-03, ext-ema-05, ext-ema-07]', async () => {
    const { server, idp, auth } = await startCompany();
    const client = await connect({ url: server.url, auth: auth() });
    const { content } = await client.tools.call('whoami');
    await client.close();
    expect(content).toMatchObject([{ text: 'ada' }]);
    expect(server.signIns).toEqual([]);
    expect(server.steps.filter(({ step }) => step === 'token').map(({ url }) => url)).toEqual([
      `${idp.server.issuer}/token`,
      `${server.server.issuer}/token`,
    ]);
  });

  it('shows no ID-JAG and no token in its steps, and none in URLs [ext-ema-11, ext-ema-16, ext-ema-23]', async () => {
    const { server, auth, idToken } = await startCompany();
    await (await connect({ url: server.url, auth: auth() })).close();
    const shown = JSON.stringify(server.steps);
    expect(shown).not.toContain(idToken);
    expect(shown).not.toMatch(/eyJ[\w-]+\.[\w-]+\.|canary/);
  });

  it('names the identity provider that refuses, without the ID token', async () => {
    const { server, idp, auth, idToken } = await startCompany();
    expect(claimsOf(idToken).sub).toBe('ada');
    const forged = `${idToken.slice(0, -8)}AAAAAAAA`;
    const error = await failureOf(connect({ url: server.url, auth: auth(forged) }));
    expect(error).toMatchObject({ code: 'authorization-failed', details: { step: 'token' } });
    expect(error.message).toContain(idp.server.issuer);
    expect(inspect(error, { depth: 9 })).not.toContain(forged.slice(0, 60));
    expect(server.redemptions(bearer)).toBe(0);
  });

  it('stops where the authorization server lists other profiles only', async () => {
    const { server } = await startCompany();
    const original = await (await fetch(`${server.server.issuer}/.well-known/oauth-authorization-server`)).json();
    const without = { ...(original as object), authorization_grant_profiles_supported: ['urn:example:other'] };
    const changed: typeof fetch = async (url, init) =>
      String(url).startsWith(`${server.server.issuer}/.well-known`) ? Response.json(without) : fetch(url, init);
    const grant = enterpriseManaged({
      idpIssuer: 'https://login.company.example',
      idpClient: { clientId: 'assistant' },
      idToken: 'a.b.c',
    });
    const { issuer } = server.server;
    const options = { client: { clientId: 'assistant', clientSecret: 'x', issuer }, grant, fetch: changed };
    const error = await failureOf(connect({ url: server.url, auth: server.auth(options) }));
    expect(error.message).toContain('id-jag');
  });

  it('sends nothing to an identity provider whose certificate is not trusted, nor to one without TLS [ext-ema-10]', async () => {
    const idp = await startScriptedAuthority({ tls: ownCertificate });
    const plain = await startScriptedAuthority();
    plain.metadata.token_endpoint = 'http://idp.example/token';
    const { connect: connectWith, authority, steps } = await setUp();
    const client = { clientId: 'assistant', clientSecret: 'canary-secret', issuer: authority.issuer };
    const grantAt = (idpIssuer: string) =>
      enterpriseManaged({ idpIssuer, idpClient: { clientId: 'assistant' }, idToken: 'a.b.c' });
    const untrusted = await failureOf(connectWith({ client, grant: grantAt(idp.issuer) }));
    expect(untrusted).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    expect(JSON.stringify(steps)).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    const open = await failureOf(connectWith({ client, grant: grantAt(plain.issuer) }));
    expect(open).toMatchObject({ code: 'authorization-failed', details: { step: 'server-metadata' } });
    expect(open.message).toContain('https');
    expect([idp.requests, authority.requested('/token')]).toEqual([[], []]);
    expect(() => grantAt('http://idp.example')).toThrow(/idpIssuer must be the https URL/);
  });

  it('names the option that is wrong', () => {
    const right = { idpIssuer: 'https://login.example', idpClient: { clientId: 'a' }, idToken: 'a.b.c' };
    expect(() => enterpriseManaged({ ...right, idpIssuer: 'http://login.example' })).toThrow(/https URL/);
    expect(() => enterpriseManaged({ ...right, idpClient: {} as never })).toThrow(/clientId/);
    expect(() => enterpriseManaged({ idpIssuer: right.idpIssuer, idpClient: right.idpClient } as never)).toThrow(
      /idToken/,
    );
  });
});
