/** Attacks by what a client sends, registers and publishes, numbered as in docs/decisions/auth-server.md: each is refused. */
import { describe, expect, it } from 'vitest';
import { withDocumentFetch } from '../../../src/auth-server/clients/documents.ts';
import { Browser } from '../../kit/auth-server/browser.ts';
import { countedStore } from '../../kit/auth-server/counted-store.ts';
import { redirectUri, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';

const known = [{ clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] }];

const start = (given: Parameters<typeof startSignInServer>[0] = {}) =>
  startSignInServer({ ...given, options: { clients: { known }, ...given.options } });

describe('an authorization request', () => {
  it.each([
    ['16: without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['17: with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['22: for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for a response in a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['for a response in a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['without a page', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ])('%s gets an error at the client', async (_, parameters, error) => {
    const server = await start();
    const browser = new Browser();
    const { location } = await browser.get(server.authorization('editor', parameters));
    expect(location?.origin).toBe(new URL(redirectUri).origin);
    expect(location?.searchParams.get('error')).toBe(error);
    expect(location?.searchParams.get('iss')).toBe(server.issuer);
    expect(browser.cookies).toEqual([]);
  });

  it('for a token in the redirect gets an error at the client', async () => {
    const server = await start();
    const { location } = await new Browser().get(server.authorization('editor', { response_type: 'token' }));
    expect(new URLSearchParams(location?.hash.slice(1)).get('error')).toBe('invalid_request');
  });

  it('19: with another path, query, host or port is not redirected [s-security-29, s-auth-92, s-auth-94, s-auth-224@2025-03-26]', async () => {
    const server = await start({
      options: {
        clients: { known: [...known, { clientId: 'web', name: 'Web', redirectUris: ['https://web.example/cb'] }] },
      },
    });
    const local = [
      'http://127.0.0.1:8123/other',
      `${redirectUri}?x=1`,
      'http://localhost:8123/callback',
      `${redirectUri}/`,
    ];
    const web = [
      'https://web.example:444/cb',
      'https://web.example/cb/../x',
      'https://evil.web.example/cb',
      'https://web.example/CB',
      'http://web.example/cb',
    ];
    const requests = [...local.map((uri) => ['editor', uri]), ...web.map((uri) => ['web', uri])];
    for (const [client = '', uri] of requests) {
      const page = await new Browser().get(server.authorization(client, { redirect_uri: uri }));
      expect([uri, page.status, page.location]).toEqual([uri, 400, undefined]);
    }
    const free = await server.consent(new Browser(), 'editor', { redirect_uri: 'http://127.0.0.1:9999/callback' });
    expect(free.status).toBe(200);
  });

  it('27, 31: with a forged or an unknown client gets the same page', async () => {
    const server = await start();
    const registered = await server.register();
    const forged = `${registered.slice(0, -4)}AAAA`;
    const ids = [forged, `dcr.${'A'.repeat(200)}`, 'dcr.', 'unknown', `${registered}A`, `${registered}=`];
    const pages = await Promise.all(ids.map((id) => new Browser().get(server.authorization(id))));
    const texts = pages.map(({ status, html }) => [status, html.replaceAll(/[\da-f]{12}/g, '')]);
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1);
    expect(texts[0]?.[0]).toBe(400);
  });
});

describe('a registration', () => {
  it.each([
    ['20: javascript', ['javascript:alert(1)']],
    ['20: data', ['data:text/html,x']],
    ['20: a private scheme', ['com.example.app:/callback']],
    ['21: http on another host', ['http://attacker.example/callback']],
    ['21: http on a name that begins like loopback', ['http://127.0.0.1.attacker.example/']],
    ['21: user information', ['https://user:pass@attacker.example/']],
    ['a fragment', ['https://attacker.example/#x']],
    ['an empty fragment', ['https://attacker.example/#']],
    ['a backslash', ['https://attacker.example\\@editor.example/']],
    ['a line break', ['https://attacker.example/\nx']],
    ['no URI', []],
    ['eleven URIs', Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`)],
    ['a wildcard host', ['https://*/']],
    ['one that is wrong beside one that is right', [redirectUri, 'http://attacker.example/']],
  ])('with %s is refused', async (_, redirect_uris) => {
    const server = await start();
    const refused = await server.register({ redirect_uris }).catch((error: Error) => error.message);
    expect(refused).toMatch(/invalid_(redirect_uri|client_metadata)/);
  });

  it('30: of a flood is stopped, and stores nothing', async () => {
    const { store, kinds } = countedStore();
    const server = await start({ store });
    await server.register();
    kinds.length = 0;
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        server.register().then(
          () => 201,
          (error: Error) => error.message,
        ),
      ),
    );
    expect(answers.filter((answer) => answer === 201)).toHaveLength(19);
    expect(answers.find((answer) => answer !== 201)).toContain('Too many requests');
    expect(kinds).toEqual([]);
  });
});

describe('28: a client document', () => {
  const id = 'https://client.example/metadata.json';
  const document = {
    client_id: id,
    client_name: 'Document',
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
  };
  const startWith = (answer: () => Response) => startSignInServer({ options: withDocumentFetch(async () => answer()) });

  it('names a client', async () => {
    const server = await startWith(() => Response.json(document));
    const { html } = await server.consent(new Browser(), id);
    expect(html).toContain('client.example');
    expect((await server.redeem(id, await server.signIn(id))).status).toBe(200);
  });

  it.each([
    ['with another client_id', () => Response.json({ ...document, client_id: 'https://other.example/' })],
    ['that redirects', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } })],
    ['that is no JSON', () => new Response('<html>')],
    ['with a secret', () => Response.json({ ...document, client_secret: 'x' })],
    ['with an http redirect URI', () => Response.json({ ...document, redirect_uris: ['http://attacker.example/'] })],
    ['with a private scheme', () => Response.json({ ...document, redirect_uris: ['app:/callback'] })],
    ['with a name of 101 characters', () => Response.json({ ...document, client_name: 'x'.repeat(101) })],
    ['that is missing', () => new Response('', { status: 404 })],
  ])('%s is refused [s-auth-39, s-auth-41, s-auth-42]', async (_, answer) => {
    const server = await startWith(answer);
    const page = await new Browser().get(server.authorization(id));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  it.each([
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'http://client.example/x',
    'https://user@client.example/x',
    'https://client.example/a/../x',
    'https://client.example/#x',
  ])('at %s is not fetched', async (url) => {
    const server = await startSignInServer();
    const page = await new Browser().get(server.authorization(url));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  it('of a host that is not listed is not fetched', async () => {
    const server = await startSignInServer({
      options: { clients: { documents: ['other.example'] }, ...withDocumentFetch(async () => Response.json(document)) },
    });
    expect((await new Browser().get(server.authorization(id))).status).toBe(400);
  });
});
