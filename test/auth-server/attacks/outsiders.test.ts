/** Attacks of an outsider who has read the source, numbered as in docs/decisions/auth-server.md: each is refused. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { makeProof, newProofKey } from '../../kit/auth/dpop.ts';
import { Browser, hiddenFields } from '../../kit/auth-server/browser.ts';
import { codeRequest, redirectUri, startSignInServer } from '../../kit/auth-server/sign-in-server.ts';
import { deferred } from '../../kit/deferred.ts';

const known = [
  { clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] },
  { clientId: 'secret', name: 'Secret', redirectUris: [redirectUri], clientSecret: 'k'.repeat(32) },
];
const start = (given: Parameters<typeof startSignInServer>[0] = {}) =>
  startSignInServer({ ...given, options: { clients: { known }, ...given.options } });
const bearerType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe('a redirect URI', () => {
  it.each([
    'http://user@127.0.0.1:1/callback',
    'http://127.0.0.1:8123@attacker.example/callback',
    'http://127.0.0.1:8123\\@attacker.example/callback',
    'http://127.0.0.1.:1/callback',
    'http://\u246027.0.0.1:1/callback',
    'http://0x7f.1:1/callback',
    'http://[::1]:1/callback',
    'http:127.0.0.1:1/callback',
    'http://127.0.0.1:1/x/../callback',
    'http://127.0.0.1:1/%63allback',
    'http://127.0.0.1:1/callback?',
    'http://127.0.0.1:1/callback#x',
    'http://127.0.0.1:1/callback\n',
    'https://127.0.0.1:1/callback',
  ])('86: %j is not the registered one on another port', async (redirect_uri) => {
    const server = await start();
    const page = await new Browser().get(server.authorization('editor', { redirect_uri }));
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  it('87: has to be in both requests, with the verifier of the challenge', async () => {
    const server = await start();
    const page = await new Browser().get(server.authorization('editor', { redirect_uri: undefined }));
    expect([page.status, page.location]).toEqual([400, undefined]);
    for (const missing of ['redirect_uri', 'code_verifier']) {
      const { body } = await server.redeem('editor', await server.signIn('editor'), { [missing]: undefined });
      expect([missing, body.access_token]).toEqual([missing, undefined]);
    }
  });
});

describe('the page that asks', () => {
  it('88: reads its own form alone: no token of another sign-in, no other encoding, no second token', async () => {
    const server = await start();
    const browser = new Browser();
    const [own, other] = [await server.consent(browser, 'editor'), await server.consent(browser, 'secret')];
    const { csrf = '' } = hiddenFields(own.html);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const bodies: [type: string, body: string][] = [
      ['application/json', JSON.stringify({ csrf, answer: 'allow' })],
      ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n--x--`],
      ['application/x-www-form-urlencoded', `csrf=x&csrf=${csrf}&answer=allow`],
      ['application/x-www-form-urlencoded', `csrf=${hiddenFields(other.html).csrf}&answer=allow`],
    ];
    for (const [type, body] of bodies) {
      const headers = { cookie, origin: server.issuer, 'content-type': type };
      const answer = await fetch(own.url, { method: 'POST', headers, body, redirect: 'manual' });
      expect([type, answer.status]).toEqual([type, 403]);
    }
  });

  it('89: gives no code to a client that was denied, though a second tab allows it', async () => {
    const server = await start();
    const browser = new Browser();
    const page = await server.consent(browser, 'editor');
    const denied = await server.answer(browser, page, 'deny');
    const allowed = await server.answer(browser, page);
    const end = await browser.follow(denied.location ?? '');
    expect(end.location?.searchParams.get('error')).toBe('access_denied');
    const late = await browser.follow(await server.provider.signIn(allowed.location ?? ''));
    expect([late.status, late.location]).toEqual([400, undefined]);
  });

  it('90: a second code at the callback, and a revocation before the grant is written, give nothing', async () => {
    const store = createMemoryStore();
    const [reached, released] = [deferred(), deferred()];
    const write: typeof store.authorizations.write = async (kind, ...rest) => {
      if (kind === 'Grant') {
        reached.resolve();
        await released.promise;
      }
      return store.authorizations.write(kind, ...rest);
    };
    const server = await start({ store: { ...store, authorizations: { ...store.authorizations, write } } });
    const browser = new Browser();
    const { location } = await server.answer(browser, await server.consent(browser, 'editor'));
    const twice = await server.provider.signIn(location ?? '');
    twice.searchParams.append('code', 'x');
    expect((await browser.get(twice)).status).toBe(400);
    const signingIn = server.signIn('editor');
    await reached.promise;
    await server.auth.revoke('dev:ada');
    released.resolve();
    expect((await server.redeem('editor', await signingIn)).body.error).toBe('invalid_grant');
  });
});

describe('proofs of a client', () => {
  it('91: a DPoP proof or an assertion counts once, also on two nodes at the same moment', async () => {
    const server = await start({ nodes: 2, store: createMemoryStore() });
    const bothWith = async (client: string, parameters: Record<string, string>, headers: Record<string, string>) => {
      const codes = [codeRequest(await server.signIn(client)), codeRequest(await server.signIn(client))];
      const answers = await Promise.all(
        codes.map((code, node) => server.token({ ...code, client_id: client, ...parameters }, headers, node)),
      );
      return answers.map(({ status }) => status).toSorted();
    };
    const htu = `${server.issuer}/token`;
    const dpop = await makeProof(await newProofKey(), '', { htu, ath: undefined, iat: inSeconds(0) });
    expect(await bothWith('editor', {}, { dpop })).toEqual([200, 400]);
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const client = await server.register({
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [await exportJWK(publicKey)] },
    });
    const assertion = (aud: string) =>
      new SignJWT({ iss: client, sub: client, aud, jti: aud, exp: inSeconds(60) })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey);
    const proof = (client_assertion: string) => ({ client_assertion, client_assertion_type: bearerType });
    // 400 where both were being stored, 401 where one was stored before.
    const refused = expect.toBeOneOf([400, 401]);
    expect(await bothWith(client, proof(await assertion(server.issuer)), {})).toEqual([200, refused]);
    expect(await bothWith(client, proof(await assertion('https://other.example')), {})).toEqual([401, 401]);
  });

  it('92: one in the header does not count for a client in the body, nor a missing one', async () => {
    const server = await start();
    const code = codeRequest(await server.signIn('secret'));
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    });
    const right = known[1]?.clientSecret ?? '';
    const attempts: [headers: Record<string, string>, parameters: Record<string, string>][] = [
      [basic('editor', ''), { client_id: 'secret' }],
      [basic('secret', right), { client_id: 'editor' }],
      [basic('secret', 'x'), { client_id: 'secret', client_secret: right }],
      [basic('secret', ''), {}],
      [{}, { client_id: 'secret', client_secret: '' }],
      [{}, { client_id: 'secret' }],
    ];
    for (const [headers, parameters] of attempts) {
      const { status, body } = await server.token({ ...code, ...parameters }, headers);
      expect([status >= 400, body.access_token]).toEqual([true, undefined]);
    }
    expect((await server.token(code, basic('secret', right))).status).toBe(200);
  });
});

describe('what others may read', () => {
  it('93: no page of another origin reads answers to tokens, revocations and pages', async () => {
    const server = await start();
    const headers = { origin: 'https://attacker.example' };
    const body = new URLSearchParams({ client_id: 'editor', grant_type: 'refresh_token', refresh_token: 'x' });
    for (const path of ['/token', '/revoke', '/account', '/consent/x']) {
      const answer = await fetch(`${server.issuer}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
      expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null]);
    }
  });

  it('94: line breaks and escapes of a request are not in events', async () => {
    const server = await start();
    const planted = 'x\r\nplanted line\u001b[31m';
    await server.token({ grant_type: 'refresh_token', refresh_token: planted, client_id: planted });
    for (const name of ['client_id', 'redirect_uri', 'scope', 'resource'])
      await new Browser().get(server.authorization('editor', { [name]: planted }));
    const texts = server.events.map(({ reason, client, subject }) => `${reason} ${client} ${subject}`);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter((text) => ['\r', '\n', '\u001b'].some((control) => text.includes(control)))).toEqual([]);
  });
});

it.each([
  'null',
  '[]',
  '"x"',
  '{"__proto__":{"redirect_uris":["https://a.example/"]}}',
  '{"redirect_uris":{"length":1,"0":"https://a.example/"}}',
  '{"redirect_uris":[["https://a.example/"]]}',
  '{"redirect_uris":["https://a.example/"],"client_name":{"toString":1}}',
  '{"redirect_uris":["https://a.example/"],"grant_types":"authorization_code"}',
  '{"redirect_uris":["https://a.example/"],"jwks":{"keys":[{"kty":"oct","k":"AAAA"}]}}',
  '{"redirect_uris":["https://a.example/"],"jwks_uri":"file:///etc/passwd"}',
  '{"redirect_uris":["https://a.example/\\u0000"]}',
])('95: a registration of %s is refused as such', async (body) => {
  const server = await start();
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${server.issuer}/register`, { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(server.events.some(({ type }) => type === 'failed')).toBe(false);
});

it('96: a registration names neither its ID nor its secret, and takes none of a known client', async () => {
  const server = await start();
  const wanted = { client_id: 'editor', client_secret: 'mine', client_id_issued_at: -1 };
  const body = JSON.stringify({ ...wanted, redirect_uris: [redirectUri] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${server.issuer}/register`, { method: 'POST', headers, body });
  const { client_id, client_secret, client_id_issued_at } = (await answer.json()) as typeof wanted;
  expect(client_id).toMatch(/^dcr\./);
  expect([client_secret === 'mine', client_id_issued_at > 0]).toEqual([false, true]);
});
