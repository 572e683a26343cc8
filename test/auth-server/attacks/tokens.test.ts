/** More attacks on codes, tokens, accounts and what is stored, numbered as in docs/decisions/auth-server.md. */
import { inspect } from 'node:util';
import { decodeJwt, SignJWT } from 'jose';
import { protect } from 'tenon/auth';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withDocumentFetch } from '../../../src/auth-server/clients/documents.ts';
import {
  codeRequest,
  providerSecret,
  redirectUri,
  type SignInServer,
  secret,
  startSignInServer,
} from '../../kit/auth-server/sign-in-server.ts';
import { deferred } from '../../kit/deferred.ts';

const known = [
  { clientId: 'editor', name: 'Editor', redirectUris: [redirectUri] },
  { clientId: 'attacker', name: 'Editor', redirectUris: [redirectUri] },
];
const start = (given: Parameters<typeof startSignInServer>[0] = {}) =>
  startSignInServer({ ...given, options: { clients: { known }, ...given.options } });
const minute = 60_000;

const tokensOf = async (server: SignInServer, how?: Parameters<SignInServer['signIn']>[1]) =>
  (await server.redeem('editor', await server.signIn('editor', how))).body;

const scopesOf = (token: string) => decodeJwt(token).scope;

/** Time passes for the server, not for timers. */
function fakeTime(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}

/** A store that reads a row of a kind, and keeps what it has read until it is released. */
function heldStore(kind: string) {
  const store = createMemoryStore();
  const [reached, released] = [deferred(), deferred()];
  let isHeld = false;
  const read: typeof store.authorizations.read = async (of, id) => {
    const row = await store.authorizations.read(of, id);
    if (isHeld && of === kind) {
      isHeld = false;
      reached.resolve();
      await released.promise;
    }
    return row;
  };
  const held: Store = { ...store, authorizations: { ...store.authorizations, read } };
  const hold = (): void => {
    isHeld = true;
  };
  return { store: held, hold, reached: reached.promise, release: () => released.resolve() };
}

describe('the token endpoint', () => {
  it('51: reads forms alone, and answers POST alone', async () => {
    const server = await start();
    const form = { ...codeRequest(await server.signIn('editor')), client_id: 'editor' };
    const text = new URLSearchParams(form).toString();
    const bodies: [string, string][] = [
      ['application/json', JSON.stringify(form)],
      ['text/plain', text],
      ['multipart/form-data; boundary=x', text],
    ];
    for (const [type, body] of bodies) {
      const response = await fetch(`${server.issuer}/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      expect([type, response.status]).toEqual([type, 400]);
    }
    expect((await fetch(`${server.issuer}/token?${text}`)).status).toBeGreaterThanOrEqual(400);
    expect((await server.token(form)).status).toBe(200);
  });

  it.each(['client_credentials', 'password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])(
    '52: gives nothing for %s, whatever a client has registered',
    async (grant_type) => {
      const server = await startSignInServer();
      const client = await server
        .register({ grant_types: [grant_type, 'authorization_code'], software_statement: 'x.y.z' })
        .catch(() => 'unknown');
      const { status, body } = await server.token({ grant_type, client_id: client, username: 'ada', password: 'x' });
      expect([status >= 400, body.access_token]).toEqual([true, undefined]);
    },
  );

  it('53: does not widen scopes when a token is refreshed, and takes the token all the same later', async () => {
    const server = await start();
    const first = await tokensOf(server, { parameters: { scope: 'files:read' } });
    const wider = await server.refresh('editor', first.refresh_token, { scope: 'files:read files:write' });
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    const next = await server.refresh('editor', first.refresh_token);
    expect([next.status, scopesOf(next.body.access_token)]).toEqual([200, 'files:read']);
  });

  it('54: gives no token for another server of its own than the one that the user saw', async () => {
    const server = await start();
    const other = `${server.issuer}/other`;
    const otherServer = protect({ issuer: server.auth, resource: other });
    const back = await server.signIn('editor');
    const swapped = await server.redeem('editor', back, { resource: other });
    expect([swapped.status, swapped.body.error]).toEqual([400, 'invalid_target']);
    const own = await tokensOf(server);
    const refreshed = await server.refresh('editor', own.refresh_token, { resource: other });
    expect([refreshed.status, refreshed.body.access_token]).toEqual([400, undefined]);
    const header = (name: string) => (name === 'authorization' ? `Bearer ${own.access_token}` : undefined);
    expect(await otherServer({ method: 'POST', header, raw: undefined })).toHaveProperty('challenge');
  });

  it('55: two of a parameter are refused', async () => {
    const server = await start();
    const { refresh_token: token } = await tokensOf(server);
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: 'editor' });
    for (const [name, value] of form) {
      const twice = new URLSearchParams(form);
      twice.append(name, value === 'editor' ? 'attacker' : value);
      const response = await fetch(`${server.issuer}/token`, { method: 'POST', body: twice });
      expect([name, response.status]).toEqual([name, 400]);
    }
    expect((await server.refresh('editor', token)).status).toBe(200);
  });

  it('56: different requests with one refresh token, at once on two nodes, end the grant', async () => {
    const server = await start({ nodes: 2, store: createMemoryStore() });
    const { refresh_token: token } = await tokensOf(server);
    const answers = await Promise.all(
      [0, 1, 0, 1].map((node) => server.refresh('editor', token, node === 0 ? {} : { scope: 'files:read' }, node)),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(new Set(won.map(({ body }) => body.refresh_token)).size).toBeLessThanOrEqual(1);
    for (const { body } of won)
      expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('57: a client cannot revoke the tokens of another', async () => {
    const server = await start();
    const { refresh_token: token } = await tokensOf(server);
    const revoke = (client_id: string) =>
      fetch(`${server.issuer}/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id }) });
    await revoke('attacker');
    const next = await server.refresh('editor', token);
    expect(next.status).toBe(200);
  });
});

describe('mix-up of authorization servers', () => {
  it('58: codes, tokens and clients of one are worth nothing at another, with the same store and secrets', async () => {
    const store = createMemoryStore();
    const [one, other] = [await start({ store }), await start({ store })];
    const client = await one.register();
    expect((await other.consent(other.browser(), client)).status).toBe(400);
    const back = await one.signIn('editor');
    expect((await other.redeem('editor', back)).body.error).toBe('invalid_grant');
    const tokens = await tokensOf(one);
    expect((await other.refresh('editor', tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await other.call(tokens.access_token)).status).toBe(401);
    const { subject } = { subject: 'dev:ada' };
    await expect(other.auth.providerToken({ issuer: one.issuer, subject })).rejects.toMatchObject({
      code: 'sign-in-required',
    });
    await expect(other.auth.providerToken({ issuer: other.issuer, subject })).rejects.toMatchObject({
      code: 'sign-in-required',
    });
    expect((await one.refresh('editor', tokens.refresh_token)).status).toBe(200);
  });

  it('59: tokens that are signed with a public key, or not at all, are refused', async () => {
    const server = await start();
    const { access_token: token } = await tokensOf(server);
    const keys = await (await fetch(`${server.issuer}/jwks`)).text();
    expect(JSON.parse(keys).keys[0]).not.toHaveProperty('d');
    const payload = decodeJwt(token);
    const forged = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .sign(new TextEncoder().encode(keys));
    const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${token.split('.')[1]}.`;
    for (const bad of [forged, none]) expect((await server.call(bad)).status).toBe(401);
  });
});

describe('accounts', () => {
  it('60: claims of a user at the provider are not those of the token', async () => {
    const claims = {
      sub: 'dev:grace',
      scope: 'admin',
      scp: ['admin'],
      aud: 'https://other.example',
      iss: 'https://other.example',
      client_id: 'attacker',
      azp: 'attacker',
      exp: 99_999_999_999,
      nbf: 99_999_999_999,
      auth_time: 99_999_999_999,
      cnf: { jkt: 'x' },
      act: { sub: 'root' },
      roles: ['root'],
    };
    const server = await start({ signIn: { user: () => ({ subject: 'ada', claims, roles: ['reader'] }) } });
    const { access_token: token } = await tokensOf(server);
    const { aud, iss, sub, client_id, scope, roles, exp = 0, iat = 0, auth_time } = decodeJwt(token);
    expect([aud, iss, sub, client_id]).toEqual([server.resource, server.issuer, 'dev:ada', 'editor']);
    expect([scope, roles, exp - iat]).toEqual(['files:read files:write', ['reader'], 600]);
    expect(auth_time).toBeLessThanOrEqual(iat);
    const { json } = await server.call(token);
    const principal = { subject: 'dev:ada', roles: ['reader'], scopes: ['files:read', 'files:write'] };
    expect(json).toMatchObject({ result: { content: [{ text: JSON.stringify(principal) }] } });
  });

  it('61: a row of one user, copied over that of another, counts as none', async () => {
    const store = createMemoryStore();
    const server = await start({ store });
    const own = await tokensOf(server);
    const writes: [string, string][] = [];
    const { write } = store.authorizations;
    const spied = vi.spyOn(store.authorizations, 'write').mockImplementation((kind, id, row) => {
      if (kind === 'Account') writes.push([id, row.text]);
      return write.call(store.authorizations, kind, id, row);
    });
    await server.signIn('editor', { user: 'grace' });
    await server.signIn('editor');
    spied.mockRestore();
    const [grace, ada] = [writes[0], writes.at(-1)];
    expect(grace?.[0]).not.toBe(ada?.[0]);
    await store.authorizations.write('Account', grace?.[0] ?? '', { text: ada?.[1] ?? '' });
    await expect(server.auth.providerToken({ issuer: server.issuer, subject: 'dev:grace' })).rejects.toMatchObject({
      code: 'sign-in-required',
    });
    expect((await server.call(own.access_token)).status).toBe(200);
  });

  it('62: an exchange that began before a revocation gives nothing that outlives it', async () => {
    const { store, hold, reached, release } = heldStore('Account');
    const server = await start({ store });
    const back = await server.signIn('editor');
    hold();
    const exchanging = server.redeem('editor', back);
    await reached;
    await server.auth.revoke('dev:ada');
    release();
    const { status, body } = await exchanging;
    // The user signs in again: what is older must not become valid with it.
    const later = await tokensOf(server);
    expect([status, (await server.call(body.access_token)).status]).toEqual([200, 401]);
    expect((await server.refresh('editor', body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.call(later.access_token)).status).toBe(200);
  });

  it('63: a refresh at the provider does not give a revoked account its tokens back', async () => {
    const pass = fakeTime();
    const [reached, released] = [deferred(), deferred()];
    let isHeld = false;
    const server = await start({
      options: {
        async fetch(url, init) {
          const answer = await fetch(url, init);
          if (isHeld) {
            reached.resolve();
            await released.promise;
          }
          return answer;
        },
      },
    });
    await tokensOf(server);
    pass(11 * minute);
    isHeld = true;
    const principal = { issuer: server.issuer, subject: 'dev:ada' };
    const asking = server.auth.providerToken(principal).catch((error: unknown) => error);
    await reached.promise;
    isHeld = false;
    await server.auth.revoke('dev:ada');
    released.resolve();
    expect(await asking).toMatchObject({ code: 'sign-in-required' });
    await expect(server.auth.providerToken(principal)).rejects.toMatchObject({ code: 'sign-in-required' });
  });

  it('64: a client that another one keeps fresh at the provider does not escape `allow`', async () => {
    const pass = fakeTime();
    const denied = new Set<string>();
    const server = await start({ options: { allow: (_user, { id }) => !denied.has(id) } });
    const mine = await server.redeem('attacker', await server.signIn('attacker'));
    const others = await tokensOf(server);
    pass(11 * minute);
    expect((await server.refresh('editor', others.refresh_token)).status).toBe(200);
    denied.add('attacker');
    expect((await server.refresh('attacker', mine.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await server.call(mine.body.access_token)).status).toBe(401);
  });

  it('65: scopes that `allow` does not give any more are missing from the next token, until it gives them back', async () => {
    let allowed: true | string[] = true;
    const server = await start({ options: { allow: () => allowed } });
    let tokens = await tokensOf(server);
    expect(scopesOf(tokens.access_token)).toBe('files:read files:write');
    const scopes: unknown[] = [];
    for (const next of [['files:read'], [], true] as const) {
      allowed = next === true ? true : [...next];
      tokens = (await server.refresh('editor', tokens.refresh_token)).body;
      scopes.push(scopesOf(tokens.access_token));
    }
    expect(scopes).toEqual(['files:read', undefined, 'files:read files:write']);
  });
});

describe('85: tokens that no server would read', () => {
  /** A user whose JSON has as many bytes. */
  const userOf = (bytes: number) => {
    const user = { subject: 'ada', roles: Array.from({ length: 20 }, () => 'r'.repeat(150)), claims: { x: '' } };
    user.claims.x = 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(user)));
    return user;
  };

  it('are those of users with more than fits: they cannot sign in, and learn why', async () => {
    const server = await start({ signIn: { user: () => userOf(3501) } });
    const browser = server.browser();
    const { location } = await server.answer(browser, await server.consent(browser, 'editor'));
    const page = await browser.follow(await server.provider.signIn(location ?? ''));
    expect(page.html).toContain('Your dev account has too many groups or claims for an access token.');
    const mapped = await start({ signIn: { user: () => userOf(3501), roles: { admins: 'admin' } } });
    expect((await mapped.call((await tokensOf(mapped)).access_token)).status).toBe(200);
  });

  it('are none where user and client are as large as they may be', async () => {
    const server = await start({ signIn: { user: () => userOf(3500) } });
    const redirect_uri = `http://127.0.0.1:8123/${'x'.repeat(960)}`;
    const client = await server.register({ redirect_uris: [redirect_uri] });
    expect(client.length).toBeGreaterThan(1450);
    const back = await server.signIn(client, { parameters: { redirect_uri } });
    const { body } = await server.redeem(client, back, { redirect_uri });
    expect((await server.call(body.access_token)).status).toBe(200);
    const longer = { redirect_uris: [`${redirect_uri}${'x'.repeat(60)}`] };
    await expect(server.register(longer)).rejects.toThrow('invalid_client_metadata');
  });

  it('are none of a client whose document has a long URL', async () => {
    const id = `https://client.example/${'x'.repeat(1500)}`;
    const document = { client_id: id, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
    const server = await start({ options: withDocumentFetch(async () => Response.json(document)) });
    expect((await server.browser().get(server.authorization(id))).status).toBe(400);
  });
});

it('66: events of sign-ins, refreshes and refusals contain no secret, code, token or state', async () => {
  const server = await start({ options: { lifetimes: { providerCheckMs: 1 } } });
  const seen = new Set<string>([secret, providerSecret]);
  const sent = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => sent.mockRestore());
  const back = await server.signIn('editor');
  const { body } = await server.redeem('editor', back);
  await server.redeem('editor', back);
  const tokens = await tokensOf(server);
  await server.refresh('editor', tokens.refresh_token);
  await server.refresh('attacker', tokens.refresh_token);
  await server.refresh('editor', tokens.refresh_token, { scope: 'files:read' });
  await server.provider.close();
  await server.refresh('editor', (await tokensOf(server).catch(() => tokens)).refresh_token);
  for (const one of [body, tokens]) for (const key of ['access_token', 'refresh_token'] as const) seen.add(one[key]);
  seen.add(back.searchParams.get('code') ?? '');
  for (const [url, init] of sent.mock.calls)
    for (const values of [new URL(String(url)).searchParams, init?.body])
      if (values instanceof URLSearchParams)
        for (const name of ['code', 'state', 'code_verifier', 'nonce', 'refresh_token', 'client_secret', 'csrf'])
          if ((values.get(name) ?? '').length > 20) seen.add(values.get(name) ?? '');
  expect(seen.size).toBeGreaterThan(8);
  const shown = inspect(server.events, { depth: 12, maxStringLength: null, maxArrayLength: null, showHidden: true });
  expect(server.events.map(({ type }) => type)).toContain('refused');
  for (const one of seen) expect(shown).not.toContain(one);
});
