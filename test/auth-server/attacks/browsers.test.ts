/** More attacks on the browser of a user, numbered as in docs/decisions/auth-server.md: cookies, callbacks, pages and redirects. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withDocumentFetch } from '../../../src/auth-server/clients/documents.ts';
import { Browser, hiddenFields } from '../../kit/auth-server/browser.ts';
import { redirectUri, type SignInServer, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

const known = [{ clientId: 'editor', name: 'Editor', redirectUris: [redirectUri, 'https://editor.example/callback'] }];
const start = (given: Parameters<typeof startSignInServer>[0] = {}) =>
  startSignInServer({ ...given, options: { clients: { known }, ...given.options } });

/** A sign-in up to the provider, which sends this browser back. */
async function callbackOf(server: SignInServer, browser: Browser, user = 'ada'): Promise<URL> {
  const page = await server.consent(browser, 'editor');
  const { location } = await server.answer(browser, page);
  return server.provider.signIn(location ?? '', { user });
}

const refusedPage = (status: number) => [status, undefined];

describe('cookies that another host or a thief has set', () => {
  it('35: a second cookie of the name of a sign-in, tossed by a sibling host, ends it', async () => {
    const server = await start();
    const browser = new Browser();
    const callback = await callbackOf(server, browser);
    const { name = '' } = browser.cookie(/tenon-flow/) ?? {};
    browser.cookies.unshift({ name, value: 'x'.repeat(43), path: '/callback' });
    const answer = await browser.get(callback);
    expect([answer.status, answer.location]).toEqual(refusedPage(403));
  });

  it('36: a cookie of the engine that this server has not signed names no sign-in', async () => {
    const server = await start();
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    const forged = browser.cookies.map((cookie) =>
      cookie.name.endsWith('.sig') ? { ...cookie, value: 'x'.repeat(cookie.value.length) } : cookie,
    );
    browser.cookies.splice(0, browser.cookies.length, ...forged);
    expect((await browser.get(page.url)).status).toBe(400);
  });

  it('37: all cookies of the sign-in of an attacker, planted in the browser of a victim, are not answered from another page', async () => {
    const server = await start();
    const [attacker, victim] = [new Browser(), new Browser()];
    const page = await server.consent(attacker, 'editor');
    victim.cookies.push(...attacker.cookies);
    const form = { ...hiddenFields(page.html), answer: 'allow' };
    for (const origin of ['https://attacker.example', 'null', '']) {
      const answer = await victim.post(page.url, form, { origin });
      expect([answer.status, answer.location]).toEqual(refusedPage(403));
    }
  });

  it('97: a sign-in of an attacker that is planted before its end lacks the cookie that no other host can set', async () => {
    const server = await start();
    const [attacker, victim] = [new Browser(), new Browser()];
    const back = await attacker.get(await callbackOf(server, attacker));
    victim.cookies.push(...attacker.cookies.filter(({ name }) => !name.includes('tenon-flow')));
    const answer = await victim.get(back.location ?? '');
    expect([answer.status, answer.location]).toEqual(refusedPage(400));
  });
});

describe('the callback', () => {
  it('38: the code of an attacker at the provider does not fit into the sign-in of a victim', async () => {
    const server = await start();
    const [attacker, victim] = [new Browser(), new Browser()];
    const injected = (await callbackOf(server, attacker, 'grace')).searchParams.get('code') ?? '';
    const callback = await callbackOf(server, victim);
    callback.searchParams.set('code', injected);
    const answer = await victim.follow(callback);
    expect([answer.status, answer.location]).toEqual(refusedPage(400));
    expect(server.events.some(({ type }) => type === 'signed-in')).toBe(false);
  });

  it('39: the account page of an attacker is not opened in the browser of a victim', async () => {
    const server = await start();
    const [attacker, victim] = [new Browser(), new Browser()];
    const { location } = await attacker.get(`${server.issuer}/account`);
    const callback = await server.provider.signIn(location ?? '', { user: 'grace' });
    const answer = await victim.get(callback);
    expect([answer.status, answer.location, victim.cookie(/tenon-user/)]).toEqual([403, undefined, undefined]);
  });

  it('40: an issuer with a final slash is another issuer, as is one that comes twice', async () => {
    const server = await start();
    const browser = new Browser();
    for (const change of ['set', 'append'] as const) {
      const callback = await callbackOf(server, browser);
      callback.searchParams[change]('iss', `${server.provider.issuer}/`);
      expect((await browser.get(callback)).status).toBe(400);
    }
  });

  it('41: a state that comes twice counts as none, and a preview of a link (HEAD) uses none up', async () => {
    const server = await start();
    const browser = new Browser();
    const callback = await callbackOf(server, browser);
    const twice = new URL(callback);
    twice.searchParams.append('state', 'x');
    expect((await browser.get(twice)).status).toBe(400);
    expect((await fetch(callback, { method: 'HEAD', redirect: 'manual' })).status).toBe(405);
    expect((await browser.follow(callback)).location?.searchParams.has('code')).toBe(true);
  });

  it('42: an error with markup reaches neither the page nor the client', async () => {
    const server = await start();
    const browser = new Browser();
    const callback = await callbackOf(server, browser);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    callback.searchParams.set('error_description', '<script>alert(1)</script>');
    const { html, location } = await browser.follow(callback);
    expect(`${html} ${location}`).not.toContain('alert');
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });
});

describe('pages', () => {
  it('43: the account page cannot be framed or cached, and no other origin may read a page', async () => {
    const server = await start();
    const browser = new Browser();
    const { location } = await browser.get(`${server.issuer}/account`);
    const callback = await server.provider.signIn(location ?? '');
    const page = await browser.follow(callback);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('cache-control')).toContain('no-store');
    const origin = 'https://attacker.example';
    for (const path of ['/account', '/callback', '/consent/x', '/authorize', '/token', '/revoke']) {
      const response = await fetch(`${server.issuer}${path}`, { headers: { origin }, redirect: 'manual' });
      expect([path, response.headers.get('access-control-allow-origin')]).toEqual([path, null]);
    }
  });

  it('44: what a request contains is text on the page of an error', async () => {
    const server = await start();
    const markup = '<script>alert(1)</script>';
    for (const parameter of ['client_id', 'redirect_uri', 'response_type', 'scope']) {
      const page = await new Browser().get(server.authorization('unknown', { [parameter]: markup }));
      expect([parameter, page.status, page.html.includes(markup)]).toEqual([parameter, 400, false]);
    }
  });

  it('45: a name without a visible character is replaced', async () => {
    const server = await startSignInServer();
    const names = ['   ', '\u200b\u200b', '\u202e', '\u3164', '\u115f\u1160', '\uffa0', '\u2800', '\u0301'];
    for (const client_name of names) {
      const page = await server.consent(new Browser(), await server.register({ client_name }));
      expect(page.html).toContain('An application without a name');
    }
  });

  it('83: a name does not cover the lines above and below it with stacked marks', async () => {
    const server = await startSignInServer();
    const name = 'E\u0489\u0301';
    const client = await server.register({ client_name: `${name}\u0302\u0303${'\u0316'.repeat(90)} b` });
    const { html } = await server.consent(new Browser(), client);
    expect(html).toContain(`<b>${name}\u0302\u0303 b</b>`);
  });
});

describe('open redirects', () => {
  const far = 'https://attacker.example/callback';

  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['without a page', { prompt: 'none' }],
    ['for a token in the fragment', { response_type: 'token' }],
    ['for another resource', { resource: 'https://other.example/' }],
    ['for an answer in a form', { response_mode: 'form_post' }],
  ])(
    '46: a wrong request %s does not lead to whatever anyone has registered [s-auth-94, s-auth-95]',
    async (_, parameters) => {
      const server = await startSignInServer();
      const client = await server.register({ redirect_uris: [far] });
      const page = await new Browser().get(server.authorization(client, { redirect_uri: far, ...parameters }));
      expect([page.status, page.location]).toEqual(refusedPage(400));
      expect(page.html).toMatch(/<a href="https:\/\/attacker\.example\/callback[^"]*" rel="noreferrer">/);
      expect(page.html).toContain('<b>attacker.example</b>');
      expect(page.html).not.toContain('<form');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    },
  );

  it('46: a client that the author of the server knows gets its error', async () => {
    const server = await start();
    const wrong = { redirect_uri: 'https://editor.example/callback', prompt: 'none' };
    const { location } = await new Browser().get(server.authorization('editor', wrong));
    expect([location?.host, location?.searchParams.get('error')]).toEqual(['editor.example', 'login_required']);
  });

  it('47: a request as a form is the same request: page, rules and error', async () => {
    const server = await startSignInServer();
    const client = await server.register();
    const post = (parameters: Record<string, string>) =>
      new Browser().post(`${server.issuer}/authorize`, {
        ...Object.fromEntries(server.authorization(client).searchParams),
        ...parameters,
      });
    const started = await post({});
    expect([started.status, started.location?.pathname.startsWith('/consent/')]).toEqual([303, true]);
    const wrong = await post({ response_mode: 'form_post' });
    expect(wrong.html).not.toContain('<form');
    expect(wrong.location?.searchParams.get('error')).toBe('unsupported_response_mode');
    expect((await post({ redirect_uri: far })).status).toBe(400);
  });

  it.each(['client_id', 'redirect_uri', 'state', 'scope', 'code_challenge', 'response_type'])(
    '48: two of %s are refused, and lead nowhere else',
    async (name) => {
      const server = await startSignInServer();
      const url = server.authorization(await server.register(), { scope: 'files:read' });
      url.searchParams.append(name, name === 'redirect_uri' ? far : 'x');
      const page = await new Browser().get(url);
      expect(page.location?.pathname.startsWith('/consent/') ?? false).toBe(false);
      expect(page.location?.host).not.toBe('attacker.example');
    },
  );

  it('49: a line break in a state sets no header', async () => {
    const server = await start();
    const state = 'x\r\nset-cookie: planted=1\r\n\r\n<script>';
    const page = await new Browser().get(server.authorization('editor', { state, prompt: 'none' }));
    expect(page.headers.get('set-cookie') ?? '').not.toContain('planted');
    expect(page.location?.searchParams.get('state')).toBe(state);
  });

  it('50: a document that no longer has the redirect URI ends the sign-in that it began', async () => {
    const id = 'https://client.example/metadata.json';
    let redirect_uris = [redirectUri];
    const answer = async () =>
      Response.json({ client_id: id, client_name: 'Document', redirect_uris, token_endpoint_auth_method: 'none' });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startSignInServer({ options: withDocumentFetch(answer) });
    const browser = new Browser();
    const page = await server.consent(browser, id);
    expect(page.status).toBe(200);
    redirect_uris = ['https://client.example/other'];
    // A document is remembered for 30 seconds.
    vi.setSystemTime(Date.now() + 31_000);
    const changed = await server.answer(browser, page);
    expect([changed.status, changed.location]).toEqual(refusedPage(400));
  });
});
