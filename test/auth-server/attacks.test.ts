/** Attacks on a sign-in, numbered as in docs/decisions/auth-server.md: each is refused, and what it would have gained does not happen. */
import { protect } from 'tenon/auth';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { makeProof, newProofKey } from '../kit/auth/dpop.ts';
import { Browser, hiddenFields, type Page } from '../kit/auth-server/browser.ts';
import { countedStore } from '../kit/auth-server/counted-store.ts';
import { codeRequest, redirectUri, type SignInServer, startSignInServer } from '../kit/auth-server/sign-in-server.ts';

const otherUri = 'https://attacker.example/callback';

/** Two clients that the server knows: the second is that of an attacker. */
const known = [
  { clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] },
  { clientId: 'attacker', name: 'Editor', redirectUris: [otherUri] },
];

const start = (given: Parameters<typeof startSignInServer>[0] = {}) =>
  startSignInServer({ ...given, options: { clients: { known }, ...given.options } });

/** Opens the callback of the provider, and says how it ends. */
async function providerCallback(server: SignInServer, browser: Browser, parameters?: Record<string, string>) {
  const page = await server.consent(browser, 'editor', parameters);
  const { location } = await server.answer(browser, page);
  return { page, callback: await server.provider.signIn(location ?? '') };
}

describe('a confused deputy', () => {
  it('1: a second client gets the page, and nothing is sent to the provider, though the first was approved [s-security-20, s-security-21, s-security-22, s-auth-103]', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    const page = await server.consent(browser, 'attacker', { redirect_uri: otherUri });
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.html).toContain('attacker.example');
  });

  it('2: the URL of the provider, opened by a victim, ends at the callback with 403', async () => {
    const server = await start();
    const { callback } = await providerCallback(server, new Browser());
    const answer = await new Browser().get(callback);
    expect([answer.status, answer.location]).toEqual([403, undefined]);
  });

  it('3: the page names the server that the client gets access to, and the answer names its issuer', async () => {
    const server = await start();
    const page = await server.consent(new Browser(), 'editor');
    expect(page.html).toContain(server.resource);
    expect((await server.signIn('editor')).searchParams.get('iss')).toBe(server.issuer);
  });

  it('4: an answer of another provider is refused', async () => {
    const server = await start();
    const browser = new Browser();
    const { callback } = await providerCallback(server, browser);
    callback.searchParams.set('iss', 'https://attacker.example');
    const answer = await browser.get(callback);
    expect([answer.status, answer.location]).toEqual([400, undefined]);
  });
});

describe('the page that asks for consent', () => {
  it('5: an answer without its token is refused [s-security-25]', async () => {
    const server = await start();
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    const other = hiddenFields((await server.consent(browser, 'editor')).html);
    for (const form of [{}, { csrf: 'x'.repeat(43) }, other]) {
      const answer = await browser.post(page.url, { ...form, answer: 'allow' });
      expect([answer.status, answer.location]).toEqual([403, undefined]);
    }
  });

  it('6: an answer from another origin is refused [s-security-25]', async () => {
    const server = await start();
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    for (const origin of ['https://attacker.example', 'null', '']) {
      const answer = await browser.post(page.url, { ...hiddenFields(page.html), answer: 'allow' }, { origin });
      expect([answer.status, answer.location]).toEqual([403, undefined]);
    }
  });

  it('7: two tabs of a browser, and a page that is loaded twice, do not disturb each other', async () => {
    const server = await start();
    const browser = new Browser();
    const [one, other] = [await providerCallback(server, browser), await providerCallback(server, browser)];
    await browser.get(one.page.url);
    const again = (await server.answer(browser, one.page)).location;
    expect(again?.origin).toBe(server.provider.issuer);
    for (const { callback } of [other, one])
      expect((await browser.follow(callback)).location?.searchParams.get('code')).toMatch(/\S{20}/);
  });

  it('8: no page can be framed, and none runs a script [s-security-26]', async () => {
    const server = await start();
    const browser = new Browser();
    const pages = [
      await server.consent(browser, 'editor'),
      await browser.get(`${server.issuer}/callback?state=x`),
      await browser.get(`${server.issuer}/authorize?client_id=unknown`),
    ];
    for (const { headers, html } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toContain('no-store');
      expect(html).not.toContain('<script');
    }
  });

  it('29: a name with markup is text [s-security-24]', async () => {
    const server = await start();
    const client = await server.register({ client_name: '<img src=x onerror=alert(1)>"\'&' });
    const { html } = await server.consent(new Browser(), client);
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img');
  });
});

describe('the callback', () => {
  it('9: a state that is unknown, was used, or is eleven minutes old is refused [s-security-32, s-security-33]', async () => {
    let skewMs = 0;
    const server = await start({ store: createMemoryStore({ now: () => Date.now() + skewMs }) });
    const browser = new Browser();
    const { callback } = await providerCallback(server, browser);
    const unknown = new URL(callback);
    unknown.searchParams.set('state', 'x'.repeat(43));
    const isUnknown = ({ status, html }: Page): boolean => status === 400 && html.includes('is over or unknown');
    expect(isUnknown(await browser.get(unknown))).toBe(true);
    expect((await browser.get(callback)).status).toBe(303);
    expect(isUnknown(await browser.get(callback))).toBe(true);
    const { callback: late } = await providerCallback(server, browser);
    skewMs = 11 * 60_000;
    expect(isUnknown(await browser.get(late))).toBe(true);
  });

  it('10: the cookie of another sign-in does not fit [s-security-28]', async () => {
    const server = await start();
    const [own, other] = [new Browser(), new Browser()];
    const { callback } = await providerCallback(server, other);
    await providerCallback(server, own);
    const name = other.cookie(/tenon-flow/)?.name ?? '';
    own.cookies.push({ name, value: own.cookie(/tenon-flow/)?.value ?? '', path: '/' });
    expect((await own.get(callback)).status).toBe(403);
  });

  it('34: there is neither a cookie for the callback nor a state before the user has allowed the client [s-security-31, s-security-34]', async () => {
    const { store, kinds } = countedStore();
    const server = await start({ store });
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    expect([browser.cookie(/tenon-flow/), kinds.includes('pending-sign-in')]).toEqual([undefined, false]);
    await server.answer(browser, page, 'deny');
    expect([browser.cookie(/tenon-flow/), kinds.includes('pending-sign-in')]).toEqual([undefined, false]);
    await server.answer(browser, await server.consent(browser, 'editor'));
    expect([browser.cookie(/tenon-flow/), kinds.includes('pending-sign-in')]).toEqual([expect.anything(), true]);
  });

  it('10: on https all cookies are those of this host alone, or of one page [s-security-27]', async () => {
    const at = 'https://provider.example';
    const endpoints = { authorization: `${at}/authorize`, token: `${at}/token` };
    const signIn = { name: 'far', clientId: 'x', clientSecret: 'y', endpoints, user: () => ({ subject: 'ada' }) };
    const server = await start({ origin: 'https://mcp.example.com', options: { clients: { known }, signIn } });
    const browser = server.browser();
    const page = await server.consent(browser, 'editor');
    expect((await server.answer(browser, page)).location?.origin).toBe(at);
    const set = browser.headers.filter((line) => line.startsWith('__Host-tenon-flow'));
    expect(set).toHaveLength(1);
    for (const line of browser.headers)
      expect(line.toLowerCase()).toMatch(/(?=.*; secure)(?=.*; httponly)(?=.*; samesite=lax)/);
    for (const line of set) expect(line).toContain('Path=/;');
    const ofEngine = browser.cookies.filter(({ name }) => !name.startsWith('__Host-')).map(({ path }) => path);
    const { pathname } = page.url;
    expect(new Set(ofEngine)).toEqual(new Set([pathname, pathname.replace('/consent/', '/authorize/')]));
  });

  it('11: the page of a sign-in that was begun in another browser is refused', async () => {
    const server = await start();
    const page = await server.consent(new Browser(), 'editor');
    const victim = new Browser();
    expect((await victim.get(page.url)).status).toBe(400);
    expect((await victim.post(page.url, { ...hiddenFields(page.html), answer: 'allow' })).status).toBe(400);
    expect((await victim.get(`${page.url}/done`)).status).toBe(400);
  });

  it('12: stolen cookies give no code without the page', async () => {
    const server = await start();
    const browser = new Browser();
    await server.signIn('editor', { browser });
    const thief = new Browser();
    thief.cookies.push(...browser.cookies);
    const page = await server.consent(thief, 'editor');
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.html).toContain('csrf');
  });

  it('33: states are random: fifty of them differ [s-security-30]', async () => {
    const server = await start();
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.answer(browser, page)));
    const states = answers.map(({ location }) => location?.searchParams.get('state') ?? '');
    expect(new Set(states).size).toBe(50);
    expect(states.every((state) => state.length >= 43)).toBe(true);
  });
});

describe('a code', () => {
  it('13: is used once: the second time ends what the first one gave [e-auth-54]', async () => {
    const server = await start();
    const back = await server.signIn('editor');
    const first = await server.redeem('editor', back);
    expect((await server.redeem('editor', back)).body.error).toBe('invalid_grant');
    expect((await server.refresh('editor', first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('14: is used once on two nodes that get it at the same time', async () => {
    const server = await start({ nodes: 2, store: createMemoryStore() });
    const back = await server.signIn('editor');
    const answers = await Promise.all([0, 1, 0, 1].map((node) => server.redeem('editor', back, {}, node)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { body } of won)
      expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it.each([
    ['15: of one client is worth nothing to another', { client_id: 'attacker' }],
    ['18: needs the verifier', { code_verifier: 'x'.repeat(43) }],
    ['18: needs a verifier at all', { code_verifier: undefined }],
    ['19: needs the redirect URI', { redirect_uri: `${redirectUri}/` }],
  ])('%s', async (_, parameters) => {
    const server = await start();
    const answer = await server.redeem('editor', await server.signIn('editor'), parameters);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });
});

describe('a token', () => {
  it('22: for another resource is refused, and the refresh token lives on', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const refused = await server.refresh('editor', body.refresh_token, { resource: 'https://other.example/mcp' });
    expect(refused.body.error).toBe('invalid_target');
    expect((await server.refresh('editor', body.refresh_token)).status).toBe(200);
  });

  it('24: of the provider is worth nothing at the server', async () => {
    const server = await start();
    await server.redeem('editor', await server.signIn('editor'));
    const { accessToken } = await server.auth.providerToken({ issuer: server.issuer, subject: 'dev:ada' });
    expect((await server.call(accessToken)).status).toBe(401);
  });

  it('25: that is refreshed a second time, after the grace, ends all access of the client', async () => {
    const server = await start({ options: { clients: { known }, lifetimes: { refreshGraceMs: 1 } } });
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const first = await server.refresh('editor', body.refresh_token);
    const second = await server.refresh('editor', first.body.refresh_token);
    expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.refresh('editor', second.body.refresh_token)).body.error).toBe('invalid_grant');
    expect(server.events.map(({ type }) => type)).toContain('revoked');
  });

  it('25: that is refreshed again by another request, within the grace, ends all access of the client', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const first = await server.refresh('editor', body.refresh_token);
    const other = await server.refresh('editor', body.refresh_token, { scope: 'files:read' });
    expect(other.body.error).toBe('invalid_grant');
    expect((await server.refresh('editor', first.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('26: that is bound to a key is not refreshed without it', async () => {
    const server = await start();
    const [own, other] = [await newProofKey(), await newProofKey()];
    const proof = (key: typeof own) =>
      makeProof(key, '', { htu: `${server.issuer}/token`, ath: undefined, iat: Math.floor(Date.now() / 1000) });
    const back = await server.signIn('editor');
    const bound = await server.token({ ...codeRequest(back), client_id: 'editor' }, { dpop: await proof(own) });
    expect([bound.status, bound.body.token_type]).toEqual([200, 'DPoP']);
    const refresh = { grant_type: 'refresh_token', refresh_token: bound.body.refresh_token, client_id: 'editor' };
    for (const headers of [{}, { dpop: await proof(other) }])
      expect((await server.token(refresh, headers)).body.error).toBe('invalid_grant');
    expect((await server.token(refresh, { dpop: await proof(own) })).status).toBe(200);
    expect((await server.call(bound.body.access_token)).status).toBe(401);
  });

  it('23: for one server is worth nothing at another one of the same authorization server', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    const other = protect({ issuer: server.auth, resource: `${server.issuer}/other` });
    const header = (name: string) => (name === 'authorization' ? `Bearer ${body.access_token}` : undefined);
    expect(await other({ method: 'POST', header, raw: undefined })).toMatchObject({
      challenge: expect.stringContaining('The token is for another resource'),
    });
    expect((await server.call(body.access_token)).status).toBe(200);
  });

  it('15: of one client is not refreshed by another', async () => {
    const server = await start();
    const { body } = await server.redeem('editor', await server.signIn('editor'));
    expect((await server.refresh('attacker', body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.refresh('editor', body.refresh_token)).status).toBe(200);
  });

  it('32: and every URL come from the issuer, whatever host a request claims', async () => {
    const server = await start();
    const forwarded = {
      'x-forwarded-host': 'attacker.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=attacker.example',
    };
    const metadata = await (
      await fetch(`${server.issuer}/.well-known/oauth-authorization-server`, { headers: forwarded })
    ).text();
    expect(metadata).not.toContain('attacker');
    const page = await new Browser().get(server.authorization('editor'), forwarded);
    expect(page.location?.origin).toBe(server.issuer);
  });
});
