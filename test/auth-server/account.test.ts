/** The account page, and consents that are remembered. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Browser, hiddenFields } from '../kit/auth-server/browser.ts';
import { redirectUri, type SignInServer, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const known = [
  { clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] },
  { clientId: 'other', name: 'Other', redirectUris: [redirectUri, 'https://other.example/callback'] },
];

const hour = 3_600_000;

/** Time passes for the server, not for timers. */
function fakeTime(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}

async function openAccount(server: SignInServer, browser: Browser, user = 'ada') {
  const { location } = await browser.get(`${server.issuer}/account`);
  return browser.follow(await server.provider.signIn(location ?? '', { user }));
}

describe('the account page', () => {
  it('lists the clients of the user who signs in, and ends the access of one of them', async () => {
    const server = await startSignInServer({ options: { clients: { known } } });
    const tokens = await server.redeem('editor', await server.signIn('editor'));
    const others = await server.redeem('other', await server.signIn('other'));
    const browser = new Browser();
    const page = await openAccount(server, browser);
    expect(page.html).toContain('Editor');
    expect(page.html).toContain('Ada');
    const after = await browser.post(page.url, { ...hiddenFields(page.html), revoke: 'editor' });
    expect([after.status, after.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.get(page.url)).html).not.toContain('Editor');
    expect((await server.call(tokens.body.access_token)).status).toBe(401);
    expect((await server.refresh('editor', tokens.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.call(others.body.access_token)).status).toBe(200);
  });

  it('needs the session of the browser, its token and its origin', async () => {
    const server = await startSignInServer({ options: { clients: { known } } });
    await server.signIn('editor');
    const browser = new Browser();
    const page = await openAccount(server, browser);
    const form = { ...hiddenFields(page.html), revoke: 'editor' };
    expect((await new Browser().post(page.url, form)).status).toBe(403);
    expect((await browser.post(page.url, form, { origin: 'https://attacker.example' })).status).toBe(403);
    expect((await browser.post(page.url, { revoke: 'editor' })).status).toBe(403);
    const other = new Browser();
    const foreign = hiddenFields((await openAccount(server, other, 'grace')).html);
    expect((await browser.post(page.url, { ...foreign, revoke: 'editor' })).status).toBe(403);
    expect((await browser.get(page.url)).html).toContain('Editor');
  });

  it('reports no end of what there is not', async () => {
    const server = await startSignInServer();
    const browser = new Browser();
    const page = await openAccount(server, browser);
    const after = await browser.post(page.url, { ...hiddenFields(page.html), revoke: 'an unknown client' });
    expect([after.status, server.events]).toEqual([303, []]);
  });

  it('signs the user out: the cookie is worth nothing afterwards', async () => {
    const server = await startSignInServer();
    const browser = new Browser();
    const page = await openAccount(server, browser);
    const copy = new Browser();
    copy.cookies.push(...browser.cookies);
    expect((await browser.post(page.url, { ...hiddenFields(page.html), 'sign-out': 'yes' })).status).toBe(200);
    for (const each of [browser, copy])
      expect((await each.get(page.url)).location?.origin).toBe(server.provider.issuer);
  });
});

describe('a remembered consent', () => {
  const start = () => startSignInServer({ options: { clients: { known }, consent: 'remember' } });
  /** As a browser sends it for a URL that an application has opened. */
  const opened = { 'sec-fetch-site': 'none' };

  async function pageOf(server: SignInServer, browser: Browser, client: string, parameters = {}, headers = opened) {
    const first = await browser.get(server.authorization(client, parameters), headers);
    return browser.get(first.location ?? '', headers);
  }

  it('skips the page for the same client, redirect URI and scopes, and visits the provider', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    const page = await pageOf(server, browser, 'editor');
    expect(page.location?.origin).toBe(server.provider.issuer);
    const back = await browser.follow(await server.provider.signIn(page.location ?? ''));
    expect((await server.redeem('editor', back.location as URL)).status).toBe(200);
  });

  it.each([
    ['another client', 'other', {}, opened],
    ['another redirect URI', 'editor', { redirect_uri: 'http://127.0.0.1:8124/callback' }, opened],
    ['a page that has sent the browser here', 'editor', {}, { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', 'editor', {}, { 'sec-fetch-site': 'same-site' }],
  ])('is not used for %s [s-security-22]', async (_, client, parameters, headers) => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    expect((await pageOf(server, browser, client, parameters, headers)).status).toBe(200);
  });

  it('is not used for more scopes, in another browser, and after access was revoked', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser, parameters: { scope: 'files:read' } });
    expect((await pageOf(server, browser, 'editor', { scope: 'files:read files:write' })).status).toBe(200);
    expect((await pageOf(server, new Browser(), 'editor', { scope: 'files:read' })).status).toBe(200);
    expect((await pageOf(server, browser, 'editor', { scope: 'files:read' })).status).toBe(303);
    await server.auth.revoke('dev:ada', 'editor');
    expect((await pageOf(server, browser, 'editor', { scope: 'files:read' })).status).toBe(200);
  });

  it('lasts for 8 hours from the page, however often the client signs in [s-security-22]', async () => {
    const pass = fakeTime();
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    pass(7 * hour);
    const page = await pageOf(server, browser, 'editor');
    await browser.follow(await server.provider.signIn(page.location ?? ''));
    pass(2 * hour);
    expect((await pageOf(server, browser, 'editor')).status).toBe(200);
  });

  it('is that of the browser: an account page in another one, or a later consent, brings none back [s-security-22]', async () => {
    const pass = fakeTime();
    const server = await start();
    await server.signIn('editor');
    const browser = new Browser();
    await openAccount(server, browser);
    expect((await pageOf(server, browser, 'editor')).status).toBe(200);
    await server.signIn('editor', { browser });
    pass(7 * hour);
    await server.signIn('other', { browser });
    expect((await pageOf(server, browser, 'editor')).status).toBe(303);
    pass(2 * hour);
    expect((await pageOf(server, browser, 'editor')).status).toBe(200);
    expect((await pageOf(server, browser, 'other')).status).toBe(303);
  });

  it('ends with the access of the client, though it is allowed again in another browser', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    await server.auth.revoke('dev:ada', 'editor');
    await server.signIn('editor');
    expect((await pageOf(server, browser, 'editor')).status).toBe(200);
  });

  it('gives nothing to another account at the provider', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    const page = await pageOf(server, browser, 'editor');
    const back = await browser.follow(await server.provider.signIn(page.location ?? '', { user: 'grace' }));
    expect([back.status, back.location]).toEqual([403, undefined]);
  });
});
