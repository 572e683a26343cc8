/** The keys of an issuer: fetched once, again for an unknown key but rarely, and used on while the issuer is down. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError, tool } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newKey, resource, type SigningKey, startIssuer } from '../kit/auth/issuer.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

let first: SigningKey;
let second: SigningKey;
beforeAll(async () => {
  [first, second] = await Promise.all([newKey('first'), newKey('second')]);
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const advance = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
const minutes = 60_000;

async function start(more: Partial<ProtectOptions> = {}, path = '') {
  const issuer = await startIssuer(first, path);
  const reported: TenonError[] = [];
  const authenticate = protect({
    issuer: issuer.issuer,
    resource,
    onWarning: (error) => reported.push(error),
    ...more,
  });
  const served = await serve({ authenticate }, {}, { tools: { it: tool({}, () => 'ok') } });
  const call = async (token: string): Promise<number> => {
    const sent = loneCall('it');
    return (await send(served.url, { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } })).status;
  };
  const fetched = (): number => issuer.requests.filter((url) => url === '/jwks').length;
  return { issuer, call, fetched, reported, served, authenticate };
}

describe('the keys of an issuer', () => {
  it('are fetched once for any number of requests at once', async () => {
    const { issuer, call, fetched } = await start();
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => issuer.sign({ sub: `user ${n}` })));
    expect(await Promise.all(tokens.map(call))).toEqual(tokens.map(() => 200));
    expect(fetched()).toBe(1);
  });

  it('are found by the metadata of an issuer with a path', async () => {
    const { issuer, call } = await start({}, '/tenant');
    expect(await call(await issuer.sign())).toBe(200);
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server/tenant', '/jwks']);
  });

  it('are fetched again for an unknown key, at most every 10 seconds', async () => {
    const { issuer, call, fetched } = await start();
    expect(await call(await issuer.sign())).toBe(200);
    issuer.keys = [first.publicJwk, second.publicJwk];
    const rotated = await issuer.sign({}, { key: second });
    expect([await call(rotated), fetched()]).toEqual([401, 1]);
    advance(10_000);
    expect([await call(rotated), fetched()]).toEqual([200, 2]);
    for (let n = 0; n < 20; n++) await call(await issuer.sign({}, { key: second, header: { kid: `forged ${n}` } }));
    expect(fetched()).toBe(2);
  });

  it('are used for an hour while the issuer is down; then requests get 503', async () => {
    const { issuer, call, reported, served } = await start();
    const token = (): Promise<string> => issuer.sign({ jti: String(Date.now()) });
    expect(await call(await token())).toBe(200);
    issuer.mode = 'down';
    advance(65 * minutes);
    expect(await call(await token())).toBe(200);
    await vi.waitFor(() => expect(reported).toMatchObject([{ code: 'server-unavailable' }]));
    advance(10 * minutes);
    expect(await call(await token())).toBe(503);
    expect(served.warnings).toMatchObject([{ code: 'callback-failed', cause: { code: 'server-unavailable' } }]);
    issuer.mode = 'up';
    advance(10_000);
    expect(await call(await token())).toBe(200);
  });

  it('that cannot be fetched are a warning with the reason; a callback that fails changes nothing', async () => {
    const reported: string[] = [];
    const { issuer, call } = await start({
      onWarning: async ({ message }) => {
        reported.push(message);
        throw new Error('no log');
      },
    });
    issuer.metadata = { jwks_uri: 'http://127.0.0.1:1/jwks' };
    expect(await call(await issuer.sign())).toBe(503);
    expect(reported).toEqual([expect.stringMatching(/127\.0\.0\.1:1\/jwks cannot be reached \((?!fetch failed)/)]);
  });

  it('are waited for, metadata for less: an issuer that hangs does not hold a request until it fails', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    const { issuer, call } = await start();
    expect(await call(await issuer.sign())).toBe(200);
    expect(timeout.mock.calls).toEqual([[5000], [10_000]]);
  });

  it('that break off are a warning that names the URL', async () => {
    const { issuer, call, reported } = await start();
    const other = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const jwksUri = `http://127.0.0.1:${(other.address() as AddressInfo).port}/keys`;
    issuer.metadata = { jwks_uri: jwksUri };
    expect(await call(await issuer.sign())).toBe(503);
    expect(reported[0]?.message).toContain(`${jwksUri} cannot be reached (`);
  });

  it('that are withdrawn take their cached tokens with them', async () => {
    const { issuer, call } = await start({ limits: { cacheMs: 60 * minutes } });
    issuer.keys = [first.publicJwk, second.publicJwk];
    const withdrawn = await issuer.sign({ exp: Date.now() / 1000 + 7200 });
    expect(await call(withdrawn)).toBe(200);
    issuer.keys = [second.publicJwk];
    advance(10_000);
    expect(await call(await issuer.sign({}, { header: { kid: 'unknown' } }))).toBe(401);
    expect(await call(withdrawn)).toBe(401);
  });

  it('that were withdrawn while no request came are not used once more', async () => {
    const { issuer, call } = await start();
    const later = { exp: Date.now() / 1000 + 7200 };
    expect(await call(await issuer.sign(later))).toBe(200);
    issuer.keys = [second.publicJwk];
    advance(30 * minutes);
    expect(await call(await issuer.sign({ ...later, sub: 'eve' }))).toBe(401);
  });

  it('may have a new one that cannot be fetched: then its tokens get 503, and are not lost', async () => {
    const { issuer, call } = await start();
    expect(await call(await issuer.sign())).toBe(200);
    issuer.keys = [first.publicJwk, second.publicJwk];
    issuer.mode = 'down';
    advance(10_000);
    const rotated = await issuer.sign({}, { key: second });
    expect([await call(rotated), await call(rotated)]).toEqual([503, 503]);
    expect(await call(await issuer.sign({ sub: 'eve' }))).toBe(200);
    issuer.mode = 'up';
    advance(10_000);
    expect(await call(rotated)).toBe(200);
  });

  it('are used beside others that cannot be read', async () => {
    const { issuer, call, served } = await start();
    const broken = { ...second.publicJwk, x: 'AA' };
    issuer.keys = [null, 'text', broken, { kty: 'none' }, first.publicJwk] as never;
    expect(await call(await issuer.sign())).toBe(200);
    expect(await call(await issuer.sign({}, { key: second }))).toBe(401);
    expect(served.warnings).toEqual([]);
  });

  it('are not taken from metadata that name another issuer', async () => {
    const { issuer, call, reported, fetched } = await start();
    issuer.metadata = { issuer: 'https://evil.example' };
    expect(await call(await issuer.sign())).toBe(503);
    expect(fetched()).toBe(0);
    expect(reported[0]?.message).toContain('names the issuer "https://evil.example"');
  });

  it.each(['http://keys.example/jwks', 'file:///keys', 'not a URL'])('are not fetched from %s', async (jwksUri) => {
    const { issuer, call, reported } = await start();
    issuer.metadata = { jwks_uri: jwksUri };
    expect(await call(await issuer.sign())).toBe(503);
    expect(reported[0]).toBeInstanceOf(TenonError);
  });

  it('are those of the issuer that the token names', async () => {
    const [one, other] = await Promise.all([startIssuer(first), startIssuer(second)]);
    const { call } = await start({ issuer: undefined, issuers: [one.issuer, { issuer: other.issuer }] } as never);
    expect(await call(await one.sign())).toBe(200);
    expect(await call(await other.sign())).toBe(200);
    expect(await call(await one.sign({ iss: other.issuer }))).toBe(401);
  });
});

describe('a verified token', () => {
  it('is answered without a promise from then on, until it expires', async () => {
    const { issuer, call, authenticate } = await start();
    const token = await issuer.sign({ exp: Math.floor(Date.now() / 1000) + 60 });
    expect(await call(token)).toBe(200);
    const found = authenticate({ method: 'POST', raw: undefined, header: () => `Bearer ${token}` });
    expect(found).toMatchObject({ subject: 'ada' });
    advance(91_000);
    expect(await call(token)).toBe(401);
  });

  it('is verified again after 5 minutes, and when others have taken its place', async () => {
    const verify = vi.fn((token: string) => ({ issuer: 'https://id.example', subject: token }));
    const { call } = await start({ verify, limits: withFixed({}, { maxCachedTokens: 2 }) });
    for (const token of ['a', 'a', 'b', 'a', 'c', 'a', 'b']) expect(await call(token)).toBe(200);
    expect(verify.mock.calls.map(([token]) => token)).toEqual(['a', 'b', 'c', 'b']);
    advance(5 * minutes);
    expect(await call('b')).toBe(200);
    expect(verify).toHaveBeenCalledTimes(5);
  });
});

describe('verify', () => {
  it('decides about opaque tokens: a principal, or nothing for 401', async () => {
    const verify = (token: string) =>
      token === 'good' ? { issuer: 'https://id.example', subject: 'ada', scopes: ['read'] } : undefined;
    const { call } = await start({ verify, scopes: ['read'] });
    expect([await call('good'), await call('bad')]).toEqual([200, 401]);
  });

  it('that fails admits no client, and its error does not quote the token', async () => {
    const verify = (token: string): never => {
      throw new Error(`no such token: ${token}`);
    };
    const { call, served } = await start({ verify });
    expect(await call('canary-12345')).toBe(500);
    expect(served.warnings).toMatchObject([{ code: 'callback-failed' }]);
    const [warning] = served.warnings;
    expect(JSON.stringify(warning) + String(warning?.stack) + String(warning?.cause)).not.toContain('canary-12345');
  });

  it('that returns an expired principal refuses the token', async () => {
    const { call } = await start({ verify: () => ({ issuer: 'https://id.example', subject: 'ada', expiresAt: 1 }) });
    expect(await call('x')).toBe(401);
  });
});
