/** Tokens that are forged, expired, foreign, downgraded or bound to something else are refused, each with the challenge for it. */
import { inspect } from 'node:util';
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { type Middleware, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { beforeAll, describe, expect, it } from 'vitest';
import { newKey, resource, type SigningKey, seconds, startIssuer, type TestIssuer } from '../kit/auth/issuer.ts';
import { call, loneCall, startSession } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

const metadata = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';
const canary = 'canary-7f3a91';

let key: SigningKey;
let rsa: SigningKey;
let foreign: SigningKey;
beforeAll(async () => {
  [key, rsa, foreign] = await Promise.all([newKey('k1'), newKey('r1', 'RS256'), newKey('k1')]);
});

const tools = { whoami: tool({}, (_given, { caller }) => JSON.stringify(caller.principal)) };

async function protectedServer(more: Partial<Parameters<typeof protect>[0]> = {}) {
  const issuer = await startIssuer(key);
  issuer.keys.push(rsa.publicJwk);
  const lines: string[] = [];
  const write = (...given: unknown[]): void => void lines.push(JSON.stringify(given) + given.map(String).join(' '));
  const logger = { debug: write, info: write, warn: write, error: write };
  const authenticate = protect({ issuer: issuer.issuer, resource, onWarning: write, ...more });
  const served = await serve({ authenticate, logger }, {}, { tools });
  const call = (authorization: string | undefined, url = served.url) => {
    const sent = loneCall('whoami');
    return send(url, { ...sent, headers: { ...sent.headers, authorization } });
  };
  return { issuer, served, lines, call, authenticate };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Replaces a part of a token: 0 is the header, 1 the payload, 2 the signature. */
const withPart = (token: string, at: number, text: string): string => token.split('.').with(at, text).join('.');
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

type Make = (issuer: TestIssuer) => string | Promise<string>;
const cases: Record<string, Make> = {
  'that is not a JWT': () => `${canary}`,
  'of two parts': async (issuer) => (await issuer.sign()).split('.').slice(0, 2).join('.'),
  'with alg none': ({ issuer }) =>
    new UnsecuredJWT({ iss: issuer, sub: 'ada', aud: resource, exp: seconds() + 600 }).encode(),
  'with alg none and the signature of another': async (issuer) =>
    withPart(await issuer.sign(), 0, encode({ alg: 'none', kid: 'k1' })),
  'with HS256 and the public key as the secret': async ({ issuer }) => {
    const publicKey = await importJWK(rsa.publicJwk, 'RS256', { extractable: true });
    const secret = new TextEncoder().encode(await exportSPKI(publicKey as never));
    return new SignJWT({ iss: issuer, sub: 'ada', aud: resource, exp: seconds() + 600 })
      .setProtectedHeader({ alg: 'HS256', kid: 'r1' })
      .sign(secret);
  },
  'with HS256 and the JWK as the secret': ({ issuer }) =>
    new SignJWT({ iss: issuer, sub: 'ada', aud: resource, exp: seconds() + 600 })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode(JSON.stringify(key.publicJwk))),
  'signed by another key of the same kid': (issuer) => issuer.sign({}, { key: foreign }),
  'signed by another key, in its header': (issuer) =>
    issuer.sign({}, { key: foreign, header: { jwk: foreign.publicJwk } }),
  'with a URL of keys in its header': (issuer) =>
    issuer.sign({}, { key: foreign, header: { jku: 'https://evil.example/jwks', kid: 'evil' } }),
  'whose header names another algorithm than its key has': async (issuer) =>
    withPart(await issuer.sign(), 0, encode({ alg: 'ES384', kid: 'k1' })),
  'of a key that is not published': (issuer) => issuer.sign({}, { key: foreign, header: { kid: 'unknown' } }),
  'whose payload was changed': async (issuer) => {
    const token = await issuer.sign();
    return withPart(token, 1, encode({ ...claimsOf(token), sub: 'admin' }));
  },
  'whose signature is empty': async (issuer) => withPart(await issuer.sign(), 2, ''),
  'whose signature is of another token': async (issuer) =>
    withPart(await issuer.sign(), 2, (await issuer.sign({ sub: 'eve' })).split('.')[2] ?? ''),
  'of an issuer that is not accepted': (issuer) => issuer.sign({ iss: 'https://evil.example' }),
  'of the issuer with a slash behind it': (issuer) => issuer.sign({ iss: `${issuer.issuer}/` }),
  'without an issuer': (issuer) => issuer.sign({ iss: undefined } as never),
  'for another resource': (issuer) => issuer.sign({ aud: 'https://other.example/mcp' }),
  'for the resource with a slash behind it': (issuer) => issuer.sign({ aud: `${resource}/` }),
  'for the origin of the resource': (issuer) => issuer.sign({ aud: 'https://mcp.example' }),
  'for the client, as an ID token is': (issuer) => issuer.sign({ aud: 'client-1' }, { header: { typ: 'JWT' } }),
  'without an audience': (issuer) => issuer.sign({ aud: undefined } as never),
  'that has expired': (issuer) => issuer.sign({ exp: seconds() - 31 }),
  'without an expiry': (issuer) => issuer.sign({ exp: undefined } as never),
  'that is not valid yet': (issuer) => issuer.sign({ nbf: seconds() + 120 }),
  'without a subject': (issuer) => issuer.sign({ sub: undefined } as never),
  'with an empty subject': (issuer) => issuer.sign({ sub: '' }),
  'that is bound to a DPoP key': (issuer) => issuer.sign({ cnf: { jkt: 'x' } }),
  'that is bound to a certificate': (issuer) => issuer.sign({ cnf: { 'x5t#S256': 'x' } }),
  'that is a DPoP proof': (issuer) => issuer.sign({}, { header: { typ: 'dpop+jwt' } }),
  'that is a logout token': (issuer) => issuer.sign({}, { header: { typ: 'logout+jwt' } }),
  'with an extension that must be understood': async (issuer) =>
    withPart(await issuer.sign(), 0, encode({ alg: 'ES256', kid: 'k1', crit: ['x'], x: 1 })),
  'of more than 8 KiB': (issuer) => issuer.sign({ note: 'x'.repeat(8192) }),
};

describe('a token', () => {
  it.each(Object.entries(cases))(
    '%s gets 401 with invalid_token [S21, s-auth-61, s-auth-62, s-auth-63, s-auth-64, s-auth-66, s-auth-104, s-auth-105, e-auth-39, e-auth-40, e-auth-41, e-auth-43, e-auth-122, e-auth-123, e-secbp-06, s-security-35, ext-ema-24, ext-wif-10]',
    async (_what, make) => {
      const { call, issuer, served, lines } = await protectedServer();
      const token = await make(issuer);
      const answer = await call(`Bearer ${token}`);
      expect(answer.status).toBe(401);
      const challenge = answer.headers['www-authenticate'] ?? '';
      expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[\w ]+", /);
      expect(challenge).toContain(metadata);
      const written = [
        ...lines,
        ...served.warnings.map((one) => JSON.stringify(one) + one.stack),
        answer.text,
        challenge,
      ];
      expect(written.join('\n')).not.toContain(token);
      // The same in a session: it does not begin.
      const refused = await send(served.url, {
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
        headers: { authorization: `Bearer ${token}` },
      });
      expect(refused.status).toBe(401);
      expect(served.stats().sessions).toBe(0);
    },
  );

  it.each([
    ['of a key that is not published', 'The token is signed by a key that its issuer does not publish'],
    ['whose payload was changed', 'The signature of the token is not valid'],
    ['with alg none', 'The algorithm of the token is not accepted'],
    ['that is not valid yet', 'The token is not valid yet'],
    ['without a subject', 'The token has no sub'],
    ['without an expiry', 'The token has no exp'],
    ['that is a logout token', 'The token is not an access token'],
  ])('%s gets the reason: %s', async (what, reason) => {
    const { call, issuer } = await protectedServer();
    const { headers } = await call(`Bearer ${await cases[what]?.(issuer)}`);
    expect(headers['www-authenticate']).toContain(`error_description="${reason}"`);
  });

  it('without kid of an issuer with several keys gets the reason', async () => {
    const { call, issuer } = await protectedServer();
    issuer.keys = [key.publicJwk, { ...foreign.publicJwk, kid: 'k2' }];
    const { headers } = await call(`Bearer ${await issuer.sign({}, { header: { kid: undefined } })}`);
    expect(headers['www-authenticate']).toContain('"The token has no kid and its issuer has several keys"');
  });

  it.each([
    ['no header', undefined],
    ['another scheme', `Basic ${canary}`],
    ['a scheme that begins alike', `Bearerx ${canary}`],
  ])(
    'that is missing (%s) gets 401 with the place of the metadata and no error [s-auth-17, s-auth-21, e-auth-13, e-auth-65]',
    async (_what, authorization) => {
      const { call } = await protectedServer({ scopes: ['files:read'] });
      const { status, headers } = await call(authorization);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe(`Bearer ${metadata}, scope="files:read"`);
    },
  );

  it.each(['2025-03-26', '2025-06-18'])(
    'that is missing gets 401 with the place of the metadata at %s, before and in a session [s-auth-213@2025-03-26, s-auth-17@2025-06-18]',
    async (revision) => {
      const { issuer, served } = await protectedServer();
      const authorization = `Bearer ${await issuer.sign()}`;
      const { greeting } = await startSession(served.url, revision, { isReady: false });
      const session = await startSession(served.url, revision, { headers: { authorization } });
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      expect([session.greeting.status, (await session.post(ping)).status]).toEqual([200, 200]);
      const { authorization: _, ...without } = session.headers as Record<string, string>;
      for (const { status, headers } of [greeting, await send(served.url, { body: ping, headers: without })])
        expect([status, headers['www-authenticate']]).toEqual([401, `Bearer ${metadata}`]);
    },
  );

  it.each(['Bearer', 'Bearer ', `Bearer a b`, `Bearer "${canary}"`, 'Bearer a, Bearer b'])(
    'that is malformed (%s) gets 400 with invalid_request [s-auth-68, e-auth-50]',
    async (authorization) => {
      const { call } = await protectedServer();
      const { status, headers } = await call(authorization);
      expect(status).toBe(400);
      expect(headers['www-authenticate']).toBe(`Bearer error="invalid_request", ${metadata}`);
    },
  );

  it('in the URL is not read', async () => {
    const { call, issuer, served } = await protectedServer();
    const token = await issuer.sign();
    expect((await call(undefined, `${served.url}?access_token=${token}`)).status).toBe(401);
  });

  it('with too few scopes gets 403 with the scopes that are needed, and the same token again too [s-auth-69, s-auth-70, e-auth-51]', async () => {
    const { call, issuer } = await protectedServer({ scopes: ['files:read', 'files:list'] });
    const token = await issuer.sign({ scope: 'files:read' });
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, headers } = await call(`Bearer ${token}`);
      expect(status).toBe(403);
      expect(headers['www-authenticate']).toBe(
        `Bearer error="insufficient_scope", ${metadata}, scope="files:read files:list"`,
      );
    }
    expect((await call(`Bearer ${await issuer.sign({ scope: 'files:list files:read' })}`)).status).toBe(200);
  });
});

describe('a valid token', () => {
  it('with a broader scope has the narrower ones that it includes [e-auth-60]', async () => {
    const impliedScopes = { admin: ['write'], write: ['read', 'admin'] };
    const { call, issuer } = await protectedServer({ scopes: ['read'], impliedScopes });
    expect((await call(`Bearer ${await issuer.sign({ scope: 'admin' })}`)).status).toBe(200);
    expect((await call(`Bearer ${await issuer.sign({ scope: 'constructor' })}`)).status).toBe(403);
  });

  it('is accepted in both lifecycles, and handlers get its principal without the token', async () => {
    const { call, issuer, served } = await protectedServer({ claims: ['team', 'absent'] });
    const token = await issuer.sign({ scope: 'a b', client_id: 'app', roles: ['admin'], team: 'blue', note: canary });
    const answer = await call(`bearer ${token}`);
    const shown = (answer.json as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';
    expect(JSON.parse(shown)).toMatchObject({
      key: JSON.stringify([issuer.issuer, 'ada']),
      client: 'app',
      scopes: ['a', 'b'],
      roles: ['admin'],
      claims: { team: 'blue' },
    });
    expect(shown).not.toContain(canary);
    const session = await startSession(served.url, '2025-11-25', { headers: { authorization: `Bearer ${token}` } });
    expect(session.greeting.status).toBe(200);
    const other = { authorization: `Bearer ${await issuer.sign({ sub: 'eve' })}` };
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, other)).status).toBe(404);
    const renewed = { authorization: `Bearer ${await issuer.sign({ jti: '2' })}` };
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, renewed)).status).toBe(200);
  });

  it('is nowhere in the context of handlers and middleware: they cannot pass it on [s-auth-67, s-auth-106, e-auth-44, e-auth-124]', async () => {
    const issuer = await startIssuer(key);
    const seen: string[] = [];
    const see = (...given: unknown[]): void =>
      void seen.push(inspect(given, { depth: null, showHidden: true, getters: true, maxStringLength: null }));
    const whoami = tool({}, (given, ctx) => {
      see(given, ctx);
      return 'ok';
    });
    const authenticate = protect({ issuer: issuer.issuer, resource });
    const middleware: Middleware = (call, next) => {
      see(call);
      return next();
    };
    const served = await serve({ authenticate }, { middleware: [middleware] }, { tools: { whoami } });
    const token = await issuer.sign();
    const headers = { authorization: `Bearer ${token}` };
    const sent = loneCall('whoami');
    await send(served.url, { ...sent, headers: { ...sent.headers, ...headers } });
    await (await startSession(served.url, '2025-11-25', { headers })).post(call('whoami'));
    expect(seen.filter((text) => text.includes("subject: 'ada'"))).toHaveLength(4);
    expect(seen.join()).not.toContain(token.split('.')[2]);
  });

  it.each([
    ['RS256', () => rsa, () => ({})],
    ['several audiences', () => key, () => ({ aud: ['https://other.example', resource] })],
    // When the test runs: the others before it may take longer than the skew.
    ['an expiry within the skew of 30 seconds', () => key, () => ({ exp: seconds() - 1 })],
    ['scopes as a list in scp', () => key, () => ({ scp: ['a'] })],
  ])('with %s is accepted', async (_what, signing, claims) => {
    const { call, issuer } = await protectedServer();
    expect((await call(`Bearer ${await issuer.sign(claims(), { key: signing() })}`)).status).toBe(200);
  });
});
