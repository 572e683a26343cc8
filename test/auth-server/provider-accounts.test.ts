/** What becomes of access when time passes, and when the provider fails: tokens of the provider, checks, lifetimes. */
import { TenonError } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Browser } from '../kit/auth-server/browser.ts';
import { redirectUri, type SignInServer, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const known = [{ clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] }];
const minute = 60_000;
const day = 24 * 60 * minute;

async function start(given: Parameters<typeof startSignInServer>[0] = {}): Promise<SignInServer> {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return startSignInServer({ ...given, options: { clients: { known }, ...given.options } });
}

const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

describe('tokens of the provider', () => {
  it('stay on the server, one account for each user, and are refreshed by one caller at a time [s-auth-220@2025-03-26, s-auth-223@2025-03-26]', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const principal = { issuer: server.issuer, subject: 'dev:ada' };
    const first = await server.auth.providerToken(principal);
    expect(JSON.stringify(body)).not.toContain(first.accessToken);
    expect(first.expiresAt).toBe(Math.trunc(first.expiresAt ?? 0));
    pass(11 * minute);
    const later = await Promise.all([1, 2, 3].map(() => server.auth.providerToken(principal)));
    expect(new Set(later.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(later[0]?.accessToken).not.toBe(first.accessToken);
    await expect(server.auth.providerToken({ ...principal, issuer: 'https://other.example' })).rejects.toMatchObject({
      code: 'sign-in-required',
    });
  });

  it('are missing once access was revoked [s-auth-222@2025-03-26]', async () => {
    const server = await start();
    await server.redeem('editor', await server.signIn('editor'));
    await server.auth.revoke('dev:ada');
    await expect(server.auth.providerToken({ issuer: server.issuer, subject: 'dev:ada' })).rejects.toMatchObject({
      code: 'sign-in-required',
    });
  });
});

describe('when a user is revoked', () => {
  /** What the provider says to a tool that still has its token. */
  const usedAtProvider = async ({ provider, auth, issuer }: SignInServer) => {
    const { accessToken } = await auth.providerToken({ issuer, subject: 'dev:ada' });
    const headers = { authorization: `Bearer ${accessToken}` };
    return async () => (await fetch(`${provider.issuer}/me`, { headers })).status;
  };

  it('the tokens of the provider are revoked there, too [s-auth-222@2025-03-26]', async () => {
    const server = await start();
    await server.redeem('editor', await server.signIn('editor'));
    const status = await usedAtProvider(server);
    await server.auth.revoke('dev:ada', 'editor');
    expect(await status()).toBe(200);
    await server.auth.revoke('dev:ada');
    expect(await status()).toBe(401);
  });

  it('the tokens of the provider are revoked there where `user` no longer allows the account', async () => {
    let isAllowed = true;
    const server = await start({
      options: { clients: { known }, lifetimes: { providerCheckMs: 1 } },
      signIn: {
        user: ({ idToken }) => {
          if (!isAllowed) throw new TenonError('forbidden', 'No member any more.');
          return { subject: String(idToken?.sub) };
        },
      },
    });
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const status = await usedAtProvider(server);
    isAllowed = false;
    // The token at the provider has not expired.
    pass(minute);
    expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
    expect(await status()).toBe(401);
  });

  it('a provider that does not answer keeps no one in: the operator learns of it', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    await server.provider.close();
    await server.auth.revoke('dev:ada');
    expect((await server.call(body.access_token)).status).toBe(401);
    expect(server.events).toContainEqual(
      expect.objectContaining({
        type: 'failed',
        subject: 'dev:ada',
        reason: 'Not revoked at the provider: dev cannot be reached. Try again later.',
      }),
    );
  });
});

it('a refresh token of the provider is kept where a later sign-in brings none', async () => {
  let isLater = false;
  const server = await start({
    options: {
      async fetch(url, init) {
        const response = await fetch(url, init);
        const isCode = String(init?.body).includes('authorization_code');
        if (!isLater || !isCode || !url.endsWith('/token')) return response;
        const { refresh_token: _, ...others } = (await response.json()) as Record<string, unknown>;
        return Response.json(others);
      },
    },
  });
  await server.signIn('editor');
  isLater = true;
  await server.signIn('editor');
  pass(11 * minute);
  const principal = { issuer: server.issuer, subject: 'dev:ada' };
  expect(await server.auth.providerToken(principal)).toHaveProperty('accessToken');
});

describe('the provider, when a client refreshes', () => {
  it('is asked once for clients that refresh at the same moment, on two nodes, though it takes each of its tokens once', async () => {
    const clients = { known: [...known, { clientId: 'other', name: 'Other', redirectUris: [redirectUri] }] };
    let refreshes = 0;
    const count: typeof fetch = (url, init) => {
      if (String(init?.body).includes('grant_type=refresh_token')) refreshes++;
      return fetch(url, init);
    };
    const server = await start({
      provider: { quirks: ['rotates-refresh-tokens'] },
      options: { clients, fetch: count },
      nodes: 2,
      store: createMemoryStore(),
    });
    const tokens = async (client: string) => (await server.redeem(client, await server.signIn(client))).body;
    const [one, other] = [await tokens('editor'), await tokens('other')];
    pass(11 * minute);
    const answers = await Promise.all([
      server.refresh('editor', one.refresh_token, {}, 0),
      server.refresh('other', other.refresh_token, {}, 1),
    ]);
    expect([answers.map(({ status }) => status), refreshes]).toEqual([[200, 200], 1]);
  });

  it('is asked after ten minutes, and not before [s-auth-221@2025-03-26]', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    await server.provider.close();
    const early = await server.refresh('editor', body.refresh_token);
    expect(early.status).toBe(200);
    pass(10 * minute + 1000);
    const later = await server.refresh('editor', early.body.refresh_token);
    expect([later.status, later.body.error]).toEqual([503, 'temporarily_unavailable']);
  });

  it('ends all access when it knows the sign-in no more [s-auth-221@2025-03-26, s-auth-222@2025-03-26]', async () => {
    const server = await start({ provider: { lifetimes: { refreshTokenMs: 15 * minute } } });
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    pass(20 * minute);
    const refused = await server.refresh('editor', body.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect(server.events).toContainEqual(expect.objectContaining({ type: 'revoked', subject: 'dev:ada' }));
  });

  it('lets `allow` decide again, with the roles of today', async () => {
    let isAllowed = true;
    const server = await start({ options: { clients: { known }, allow: () => isAllowed } });
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    pass(11 * minute);
    const first = await server.refresh('editor', body.refresh_token);
    expect(first.status).toBe(200);
    isAllowed = false;
    pass(11 * minute);
    expect((await server.refresh('editor', first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.call(first.body.access_token)).status).toBe(401);
  });
});

describe('lifetimes', () => {
  it('end access tokens after ten minutes, and refresh tokens after two weeks without use [s-auth-226@2025-03-26]', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    pass(9 * minute);
    expect((await server.call(body.access_token)).status).toBe(200);
    pass(2 * minute);
    expect((await server.call(body.access_token)).status).toBe(401);
    pass(14 * day);
    expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('end all access after the life of the grant, however often the client refreshes', async () => {
    const lifetimes = { grantMs: 3 * day, refreshTokenMs: 2 * day, providerCheckMs: 20 * day };
    const server = await start({ options: { clients: { known }, lifetimes } });
    let { body } = await server.redeem('editor', await server.signIn('editor'));
    for (let passed = 1; passed <= 2; passed++) {
      pass(day);
      const answer = await server.refresh('editor', body.refresh_token);
      expect(answer.status).toBe(200);
      body = answer.body;
    }
    pass(day + 1000);
    expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe('a provider that fails', () => {
  it('gets the user a page that says so, and the operator the cause [s-auth-228@2025-03-26]', async () => {
    const server = await start();
    const browser = new Browser();
    await server.provider.close();
    const page = await server.consent(browser, 'editor');
    const answer = await server.answer(browser, page);
    expect([answer.status, answer.location]).toEqual([503, undefined]);
    const failed = server.events.find(({ type }) => type === 'failed');
    expect(answer.html).toContain(failed?.id);
    expect(failed?.cause).toBeDefined();
  });

  it('that refuses the client names the setting, and no secret [s-auth-228@2025-03-26]', async () => {
    const server = await start({
      provider: { clients: [{ client_id: 'tenon', client_secret: 'another', redirect_uris: [] }] },
    });
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    const { location } = await server.answer(browser, page);
    await expect(server.provider.signIn(location ?? '')).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
