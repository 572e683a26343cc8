/** Opaque tokens: the issuer is asked about each (RFC 7662), and its answer is checked as the claims of a JWT are. */
import { tool } from 'tenon';
import { type IntrospectionOptions, type ProtectOptions, protect } from 'tenon/auth';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeProof, newProofKey } from '../kit/auth/dpop.ts';
import { newKey, resource, type SigningKey, seconds, startIssuer } from '../kit/auth/issuer.ts';
import { deferred } from '../kit/deferred.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';
import { withTimeout } from '../kit/with-timeout.ts';

let key: SigningKey;
beforeAll(async () => {
  key = await newKey('k1');
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const client = { clientId: 'mcp server', clientSecret: 'canary secret: 100 %' };

async function start(introspection: Partial<IntrospectionOptions> = {}, more: Partial<ProtectOptions> = {}) {
  const issuer = await startIssuer(key);
  const active = {
    active: true,
    iss: issuer.issuer,
    sub: 'ada',
    aud: resource,
    exp: seconds() + 600,
    scope: 'read list',
  };
  const asked: URLSearchParams[] = [];
  const authorizations: (string | undefined)[] = [];
  let answer: object | string = active;
  issuer.introspect = (form, authorization) => {
    asked.push(form);
    authorizations.push(authorization);
    return answer;
  };
  const authenticate = protect({
    issuer: { issuer: issuer.issuer, introspection: { ...client, ...introspection } },
    resource,
    ...more,
  });
  const tools = { whoami: tool({}, (_given, { caller }) => JSON.stringify(caller.principal)) };
  const served = await serve({ authenticate }, {}, { tools });
  const call = (token: string, headers: Record<string, string> = {}) => {
    const sent = loneCall('whoami');
    return send(served.url, { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}`, ...headers } });
  };
  const answering = (more: object | string): void => {
    answer = typeof more === 'string' ? more : { ...active, ...more };
  };
  return { issuer, active, asked, authorizations, answering, call, served };
}

describe('an opaque token', () => {
  it('is accepted if the issuer says that it is active, and handlers get its principal', async () => {
    const { issuer, asked, authorizations, call } = await start({}, { scopes: ['read'] });
    const { status, json } = await call('opaque-1');
    expect(status).toBe(200);
    const text = (json as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';
    expect(JSON.parse(text)).toMatchObject({ issuer: issuer.issuer, subject: 'ada', scopes: ['read', 'list'] });
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([
      { token: 'opaque-1', token_type_hint: 'access_token' },
    ]);
    const sent = Buffer.from(authorizations[0]?.replace('Basic ', '') ?? '', 'base64').toString();
    expect(sent).toBe('mcp+server:canary+secret%3A+100+%25');
  });

  it('is asked about with the secret in the body, at an endpoint that is given', async () => {
    const { issuer, asked, authorizations, call, served } = await start({ method: 'client_secret_post' });
    expect((await call('opaque-1')).status).toBe(200);
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expect(authorizations).toEqual([undefined]);
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/introspect']);
    expect(served.warnings).toEqual([]);
    const given = await start();
    const other = await start({ endpoint: `${given.issuer.issuer}/introspect` });
    given.answering({ iss: other.issuer.issuer });
    expect((await other.call('x')).status).toBe(200);
    expect(other.issuer.requests).toEqual([]);
  });

  it('is asked about once for many requests, then cached until it expires, for 5 minutes at most', async () => {
    const { asked, answering, call } = await start();
    const statuses = async (token: string) =>
      (await Promise.all(Array.from({ length: 20 }, () => call(token)))).map(({ status }) => status);
    expect(new Set(await statuses('a'))).toEqual(new Set([200]));
    expect(asked).toHaveLength(1);
    vi.setSystemTime(Date.now() + 299_000);
    await call('a');
    expect(asked).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2_000);
    answering({ active: false });
    expect((await call('a')).status).toBe(401);
    expect(asked).toHaveLength(2);
    answering({ exp: seconds() + 10 });
    expect((await call('b')).status).toBe(200);
    vi.setSystemTime(Date.now() + 41_000);
    expect((await call('b')).status).toBe(401);
    answering({ exp: undefined });
    expect((await call('c')).status).toBe(200);
  });

  it('beside JWTs: those are verified by their signature, and never asked about', async () => {
    const { issuer, asked, call } = await start();
    expect((await call(await issuer.sign())).status).toBe(200);
    const forged = (await issuer.sign()).split('.').with(2, 'AAAA').join('.');
    expect((await call(forged)).status).toBe(401);
    expect((await call('a.b.c')).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('that is bound to a key needs a DPoP proof', async () => {
    const own = await newProofKey();
    const { answering, call } = await start({}, { dpop: 'optional' });
    answering({ cnf: { jkt: own.jkt }, token_type: 'DPoP' });
    expect((await call('opaque')).status).toBe(401);
    const dpop = await makeProof(own, 'opaque');
    expect((await call('', { authorization: 'DPoP opaque', dpop })).status).toBe(200);
  });

  it.each<[string, object]>([
    ['is not active', { active: false }],
    ['is of another issuer', { iss: 'https://evil.example' }],
    ['is for another resource', { aud: 'https://other.example' }],
    ['is for other resources', { aud: ['https://other.example', `${resource}/`] }],
    ['is for no resource', { aud: undefined }],
    ['has no subject', { sub: undefined }],
    ['has expired', { exp: seconds() - 31 }],
    ['has an expiry that is no number', { exp: '9999999999' }],
    ['is not valid yet', { nbf: seconds() + 3600 }],
    ['is a refresh token', { token_type: 'refresh_token' }],
    ['is bound to a key', { cnf: { jkt: 'x' } }],
    ['is bound to a certificate', { cnf: { 'x5t#S256': 'x' } }],
  ])(
    'that %s gets 401 with invalid_token [S21, e-auth-39, e-auth-40, e-auth-41, e-auth-123, e-secbp-06, s-security-35]',
    async (_what, claims) => {
      const { answering, call } = await start();
      answering(claims);
      const { status, headers } = await call('opaque-1');
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toMatch(
        /^Bearer error="invalid_token", error_description="[\w ]+", resource_metadata=/,
      );
    },
  );
});

describe('an issuer that cannot be asked', () => {
  const failing: [string, (test: Awaited<ReturnType<typeof start>>) => void][] = [
    ['is down', ({ issuer }) => void (issuer.mode = 'down')],
    ['has no such endpoint', ({ issuer }) => void (issuer.metadata = { introspection_endpoint: undefined })],
    [
      'has an endpoint without TLS',
      ({ issuer }) => void (issuer.metadata = { introspection_endpoint: 'http://id.example/x' }),
    ],
    ['answers with other text', ({ answering }) => answering('no such token: canary-token')],
    ['answers with a list', ({ answering }) => answering('["canary-token"]')],
    ['answers without active', ({ answering }) => answering({ active: undefined })],
    ['answers with a text as active', ({ answering }) => answering({ active: 'true' })],
    ['answers with more than 256 KiB', ({ answering }) => answering({ note: 'x'.repeat(300_000) })],
  ];
  it.each(failing)('%s: requests get 503, and neither token nor secret is written', async (_what, arrange) => {
    const test = await start();
    arrange(test);
    const { status, headers, text } = await test.call('canary-token');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    const { warnings } = test.served;
    expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { code: 'server-unavailable' } }]);
    const written = text + warnings.map(({ stack, cause }) => `${stack} ${(cause as Error).stack}`).join();
    expect(written).not.toContain('canary');
    expect(written).not.toContain(Buffer.from('canary').toString('base64').slice(0, -2));
  });

  it('is asked about 100 tokens at once, and not more', async () => {
    const test = await start();
    let arrived = 0;
    const held: (() => void)[] = [];
    vi.stubGlobal('fetch', (_url: string) => {
      arrived++;
      return new Promise((resolve) => held.push(() => resolve(new Response(JSON.stringify(test.active)))));
    });
    try {
      const authenticate = protect({
        issuer: { issuer: 'https://id.example', introspection: { ...client, endpoint: 'https://id.example/x' } },
        resource,
      });
      const ask = (n: number) =>
        authenticate({
          method: 'POST',
          raw: undefined,
          header: (name) => (name === 'authorization' ? `Bearer t${n}` : undefined),
        });
      const first = Array.from({ length: 100 }, (_, n) => ask(n));
      await expect(ask(100)).rejects.toMatchObject({ code: 'server-unavailable' });
      expect(arrived).toBe(100);
      for (const release of held) release();
      await Promise.all(first);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it.each([
    ['one address', () => '203.0.113.1'],
    ['one IPv6 network', (n: number) => `2001:db8::${n}`],
    ['addresses that are not known', () => ''],
  ])('is asked about tokens of others while junk of %s waits for its answers [S24, S36]', async (_from, addressOf) => {
    const held: (() => void)[] = [];
    const asked = deferred();
    vi.stubGlobal('fetch', () => {
      const answer = deferred<Response>();
      held.push(() => answer.resolve(new Response('{"active":false}')));
      if (held.length === 52) asked.resolve();
      return answer.promise;
    });
    try {
      const authenticate = protect({
        issuer: { issuer: 'https://id.example', introspection: { ...client, endpoint: 'https://id.example/x' } },
        resource,
      });
      const ask = (token: string, address: string) =>
        Promise.resolve(
          authenticate({
            method: 'POST',
            raw: undefined,
            address,
            header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
          }),
        );
      const junk = Array.from({ length: 150 }, (_, n) => ask(`junk${n}`, addressOf(n)));
      const refused = Promise.allSettled(junk);
      const others = [ask('one', '198.51.100.7'), ask('two', '198.51.100.8')];
      await withTimeout(asked.promise, '52 questions');
      for (const release of held) release();
      expect((await refused).filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
      expect(await Promise.all(others)).toEqual(Array(2).fill({ challenge: expect.stringContaining('invalid_token') }));
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

it.each<[string, object, string]>([
  ['no client', { introspection: { clientSecret: 'x' } }, 'issuer.introspection.clientId'],
  ['no secret', { introspection: { clientId: 'x' } }, 'issuer.introspection.clientSecret'],
  [
    'an endpoint without TLS',
    { introspection: { ...client, endpoint: 'http://id.example/x' } },
    'issuer.introspection.endpoint',
  ],
  ['another method', { introspection: { ...client, method: 'none' } }, 'issuer.introspection.method'],
])('introspection with %s throws invalid-argument, without the secret', (_what, more, place) => {
  const attempt = () => protect({ issuer: { issuer: 'https://id.example', ...more } as never, resource });
  expect(attempt).toThrow(expect.objectContaining({ code: 'invalid-argument', details: { place } }));
  expect(attempt).not.toThrow('canary');
});

it('introspection of two issuers throws invalid-argument: an opaque token names none of them', () => {
  const issuers = ['https://a.example', 'https://b.example'].map((issuer) => ({ issuer, introspection: client }));
  expect(() => protect({ issuers, resource })).toThrow(expect.objectContaining({ details: { place: 'issuers' } }));
});
