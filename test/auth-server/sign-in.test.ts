/** A sign-in from the first request of a client to a call of a tool. */
import { connect } from 'tenon';
import { oauth, type SignIn } from 'tenon/auth';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../kit/auth-server/browser.ts';
import { redirectUri, type SignInServer, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

/** The user of a client of Tenon. */
const userOf = ({ signIn }: SignInServer, visits: URL[] = []): SignIn => ({
  prepare: async () => ({
    redirectUri,
    async authorize(page) {
      visits.push(page);
      return signIn('', { parameters: Object.fromEntries(page.searchParams) });
    },
    close: async () => {},
  }),
});

it('gives a client a token of its own for the server, after the user has signed in at the provider', async () => {
  const server = await startSignInServer();
  const client = await server.register();
  const back = await server.signIn(client);
  expect(back.searchParams.get('state')).toBe('state-of-the-client');
  expect(back.searchParams.get('iss')).toBe(server.issuer);
  const { body } = await server.redeem(client, back);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'files:read files:write' });
  const { json } = await server.call(body.access_token);
  const principal = { subject: 'dev:ada', roles: ['admins'], scopes: ['files:read', 'files:write'] };
  expect(json).toMatchObject({ result: { content: [{ text: JSON.stringify(principal) }] } });
  const types = server.events.map(({ type }) => type);
  expect(types).toEqual(['client-registered', 'authorization-requested', 'consented', 'signed-in', 'token-issued']);
});

it('signs in the client of Tenon, which finds everything by itself', async () => {
  const server = await startSignInServer();
  const visits: URL[] = [];
  const auth = oauth({ signIn: userOf(server, visits), timeouts: { requestMs: 60_000 } });
  const client = await connect({ url: server.resource, auth });
  onTestFinished(() => client.close());
  const { content } = await client.tools.call('whoami', {});
  expect(JSON.stringify(content)).toContain('dev:ada');
  expect(visits).toHaveLength(1);
});

it('shows the scopes that the provider is asked for, all of them [s-security-24]', async () => {
  const server = await startSignInServer();
  const browser = new Browser();
  const page = await server.consent(browser, await server.register());
  const { location } = await server.answer(browser, page);
  const scopes = location?.searchParams.get('scope')?.split(' ') ?? [];
  expect(scopes).toContain('offline_access');
  for (const scope of scopes) expect(page.html).toContain(`<code>${scope}</code>`);
});

it('gives the client an error where the user denies it, and sends nothing to the provider', async () => {
  const server = await startSignInServer();
  const client = await server.register();
  const browser = new Browser();
  const page = await server.consent(browser, client);
  const { location } = await server.answer(browser, page, 'deny');
  const back = (await browser.follow(location ?? '')).location;
  expect(back?.searchParams.get('error')).toBe('access_denied');
  expect(server.events.map(({ type }) => type)).toContain('denied');
});

it('gives the client an error where the user does not allow this server at the provider', async () => {
  const server = await startSignInServer();
  const back = await server.signIn(await server.register(), { deny: true });
  expect(back.searchParams.get('error')).toBe('access_denied');
});

it('grants the scopes that the client asks for, the user sees and `allow` permits', async () => {
  const server = await startSignInServer({
    options: { allow: (user) => (user.name === 'Ada' ? ['files:read'] : false) },
  });
  const client = await server.register();
  const { body } = await server.redeem(
    client,
    await server.signIn(client, { parameters: { scope: 'files:read files:write x' } }),
  );
  expect(body.scope).toBe('files:read');
  const denied = await server.signIn(client, { user: 'grace' });
  expect(denied.searchParams.get('error')).toBe('access_denied');
});

it('signs in a known client with its secret, and not without it', async () => {
  const server = await startSignInServer({
    options: {
      clients: { known: [{ clientId: 'cli', name: 'CLI', redirectUris: [redirectUri], clientSecret: 's'.repeat(32) }] },
    },
  });
  const back = await server.signIn('cli');
  expect((await server.redeem('cli', back)).body.error).toBe('invalid_client');
  const again = await server.signIn('cli');
  expect((await server.redeem('cli', again, { client_secret: 's'.repeat(32) })).status).toBe(200);
});

describe('a refresh', () => {
  it('gives new tokens, and an identical request the same ones again', async () => {
    const server = await startSignInServer();
    const client = await server.register();
    const { body } = await server.redeem(client, await server.signIn(client));
    const first = await server.refresh(client, body.refresh_token);
    expect(first.status).toBe(200);
    expect(first.body.refresh_token).not.toBe(body.refresh_token);
    const repeated = await server.refresh(client, body.refresh_token);
    expect(repeated.body).toEqual(first.body);
    expect((await server.call(first.body.access_token)).status).toBe(200);
  });

  it('asks the provider whether the user still has the account, at most every ten minutes', async () => {
    const server = await startSignInServer({
      options: { lifetimes: { providerCheckMs: 1 } },
      provider: { quirks: [] },
    });
    const client = await server.register();
    const { body } = await server.redeem(client, await server.signIn(client));
    const first = await server.refresh(client, body.refresh_token);
    expect(first.status).toBe(200);
    await server.provider.close();
    const second = await server.refresh(client, first.body.refresh_token);
    expect([second.status, second.body.error]).toEqual([503, 'temporarily_unavailable']);
    // The refresh token was not used up.
    expect(server.events.map(({ type }) => type)).not.toContain('revoked');
  });
});

it('ends the access of a user on all nodes, and lets the user sign in again', async () => {
  const server = await startSignInServer({ nodes: 2, store: createMemoryStore() });
  const client = await server.register();
  const { body } = await server.redeem(client, await server.signIn(client));
  expect((await server.call(body.access_token, 'whoami', 1)).status).toBe(200);
  await server.auth.revoke('dev:ada');
  for (const node of [0, 1]) expect((await server.call(body.access_token, 'whoami', node)).status).toBe(401);
  expect((await server.refresh(client, body.refresh_token)).body.error).toBe('invalid_grant');
  const again = await server.redeem(client, await server.signIn(client), {}, 1);
  expect((await server.call(again.body.access_token)).status).toBe(200);
});

it('gives tools the token of the provider, which the client never gets', async () => {
  const server = await startSignInServer();
  const client = await server.register();
  const { body } = await server.redeem(client, await server.signIn(client));
  const { accessToken } = await server.auth.providerToken({ issuer: server.issuer, subject: 'dev:ada' });
  expect(accessToken).not.toBe(body.access_token);
  expect(JSON.stringify(body)).not.toContain(accessToken);
  expect((await server.call(accessToken)).status).toBe(401);
  await expect(server.auth.providerToken({ issuer: server.issuer, subject: 'dev:grace' })).rejects.toMatchObject({
    code: 'sign-in-required',
  });
});
