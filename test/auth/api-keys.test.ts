/** API keys: found by id, compared by hash; every other key gets 401 with the same challenge. */
import { TenonError, tool } from 'tenon';
import {
  type ApiKey,
  type ApiKeysOptions,
  generateApiKey,
  type NewApiKey,
  protect,
  protectWithApiKeys,
} from 'tenon/auth';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { newKey, resource, type SigningKey, startIssuer } from '../kit/auth/issuer.ts';
import { loneCall, startSession } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

let ada: NewApiKey;
let eve: NewApiKey;
let signing: SigningKey;
beforeAll(async () => {
  [ada, eve, signing] = await Promise.all([generateApiKey(), generateApiKey(), newKey('k1')]);
});

const stored = (more: Partial<ApiKey> = {}): ApiKey => ({ id: ada.id, hash: ada.hash, subject: 'ada', ...more });

const tools = { whoami: tool({}, (_given, { caller }) => JSON.stringify(caller.principal)) };

async function start(options: ApiKeysOptions = { keys: [stored()] }) {
  const served = await serve({ authenticate: protectWithApiKeys(options) }, {}, { tools });
  const call = (headers: Record<string, string>) => {
    const sent = loneCall('whoami');
    return send(served.url, { ...sent, headers: { ...sent.headers, ...headers } });
  };
  return { served, call };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('generateApiKey', () => {
  it('makes a key of 256 random bits, its id, and its SHA-256', async () => {
    const { id, key, hash } = ada;
    expect(key).toMatch(/^tnk_[\da-f]{16}_[\w-]{43}$/);
    expect(key.split('_')[1]).toBe(id);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
    expect(Buffer.from(digest).toString('hex')).toBe(hash);
    expect(key).not.toBe(eve.key);
  });
});

describe('an API key', () => {
  it('is accepted in both headers and both lifecycles, and handlers get its principal', async () => {
    const { call, served } = await start({
      keys: [stored({ scopes: ['read'], roles: ['admin'], claims: { team: 'blue' }, client: 'app' })],
      scopes: ['read'],
    });
    for (const headers of [bearer(ada.key), { 'x-api-key': ada.key }]) {
      const { status, json } = await call(headers);
      expect(status).toBe(200);
      const text = (json as { result: { content: { text: string }[] } }).result.content[0]?.text ?? '';
      expect(JSON.parse(text)).toMatchObject({
        key: '["api-keys","ada"]',
        subject: 'ada',
        scopes: ['read'],
        roles: ['admin'],
        claims: { team: 'blue' },
        client: 'app',
      });
      expect(text).not.toContain(ada.hash);
      expect(text).not.toContain(ada.id);
    }
    const session = await startSession(served.url, '2025-11-25', { headers: bearer(ada.key) });
    expect(session.greeting.status).toBe(200);
  });

  it('is found by lookup(), which gets its id and never the key', async () => {
    const lookup = vi.fn(async (id: string) => (id === ada.id ? stored() : undefined));
    const { call } = await start({ lookup });
    expect([(await call(bearer(ada.key))).status, (await call(bearer(eve.key))).status]).toEqual([200, 401]);
    expect(lookup.mock.calls).toEqual([[ada.id], [eve.id]]);
  });

  const cases: Record<string, () => string> = {
    'of an unknown id': () => eve.key,
    'with the secret of another': () => `tnk_${ada.id}_${eve.key.split('_')[2]}`,
    'whose last character was changed': () => ada.key.slice(0, -1) + (ada.key.endsWith('A') ? 'B' : 'A'),
    'whose first character of the secret was changed': () =>
      ada.key.replace(/_(.)([\w-]{42})$/, (_all, one, rest) => `_${one === 'A' ? 'B' : 'A'}${rest}`),
    'that is cut off': () => ada.key.slice(0, -1),
    'that is longer': () => `${ada.key}x`,
    'in capitals': () => ada.key.toUpperCase(),
    'that is its id alone': () => `tnk_${ada.id}`,
    'that is its hash': () => ada.hash,
    'with its hash as the secret': () => `tnk_${ada.id}_${ada.hash}`,
    'with an empty id': () => `tnk__${ada.key.slice(-43)}`,
    'with the id __proto__': () => `tnk___proto___${ada.key.slice(-43)}`,
    'of 10,000 characters': () => `tnk_${'a'.repeat(10_000)}`,
  };
  it.each(Object.entries(cases))('%s gets 401, in both headers, and is quoted nowhere [S21]', async (_what, make) => {
    const { call, served } = await start();
    const key = make();
    for (const headers of [bearer(key), { 'x-api-key': key }]) {
      const { status, headers: answered, text } = await call(headers);
      expect(status).toBe(401);
      expect(answered['www-authenticate']).toBe(
        'Bearer error="invalid_token", error_description="The API key is not valid"',
      );
      expect(text + served.warnings.join()).not.toContain(key);
    }
  });

  it('in another header or scheme counts as none', async () => {
    const { call } = await start();
    for (const headers of [
      {},
      { authorization: `Basic ${ada.key}` },
      { authorization: ada.key },
      { 'api-key': ada.key },
    ]) {
      const { status, headers: answered } = await call(headers as Record<string, string>);
      expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer']);
    }
  });

  it('beside another credential gets 400', async () => {
    const { call } = await start();
    const { status, headers } = await call({ ...bearer(ada.key), 'x-api-key': ada.key });
    expect(status).toBe(400);
    expect(headers['www-authenticate']).toMatch(/^Bearer error="invalid_request"/);
  });

  it('that has expired gets 401; with too few scopes 403', async () => {
    const { call } = await start({ keys: [stored({ expiresAt: 1 })] });
    expect((await call(bearer(ada.key))).headers['www-authenticate']).toContain('The API key has expired');
    const few = await (await start({ keys: [stored({ scopes: ['list'] })], scopes: ['read'] })).call(bearer(ada.key));
    expect(few.status).toBe(403);
    expect(few.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="read"');
  });

  it('is accepted beside access tokens with otherwise, whose metadata are served', async () => {
    const issuer = await startIssuer(signing);
    const otherwise = protect({ issuer: issuer.issuer, resource });
    const { call, served } = await start({ keys: [stored()], otherwise });
    expect((await call(bearer(ada.key))).status).toBe(200);
    expect((await call({ 'x-api-key': ada.key })).status).toBe(200);
    expect((await call(bearer(await issuer.sign()))).status).toBe(200);
    expect((await call(bearer(eve.key))).status).toBe(401);
    for (const headers of [{}, bearer('x'), bearer(eve.key)]) {
      const refused = await call(headers as Record<string, string>);
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('resource_metadata='),
      ]);
    }
    const metadata = new URL('/.well-known/oauth-protected-resource', served.url).href;
    expect((await send(metadata, { method: 'GET' })).status).toBe(200);
  });

  it('that lookup() stores wrongly, or whose lookup() fails, gets no access', async () => {
    const lookups = [
      () => stored({ hash: ada.key }),
      () => stored({ subject: '' }),
      () => {
        throw new Error('no database');
      },
    ];
    for (const lookup of lookups) {
      const { call, served } = await start({ lookup });
      expect((await call(bearer(ada.key))).status).toBe(500);
      const [warning] = served.warnings;
      expect(warning).toMatchObject({ code: 'callback-failed' });
      expect(JSON.stringify(warning) + warning?.stack + String(warning?.cause)).not.toContain(ada.key);
    }
    // A key under another id than the one that was asked for.
    const { call } = await start({ lookup: () => stored({ id: eve.id }) });
    expect((await call(bearer(ada.key))).status).toBe(401);
  });
});

const wrong: [string, () => unknown, string][] = [
  ['no options', () => undefined, 'options'],
  ['neither keys nor lookup', () => ({}), 'keys'],
  ['both keys and lookup', () => ({ keys: [], lookup: () => undefined }), 'keys'],
  ['a key instead of its hash', () => ({ keys: [stored({ hash: ada.key })] }), 'keys[0]'],
  ['two keys of one id', () => ({ keys: [stored(), stored()] }), 'keys[1]'],
  ['a key without a subject', () => ({ keys: [{ id: ada.id, hash: ada.hash }] }), 'keys[0]'],
  ['an id with other characters', () => ({ keys: [stored({ id: 'a_b' })] }), 'keys[0]'],
  ['an unknown option', () => ({ keys: [], find: 1 }), 'find'],
  ['a scope that is no text', () => ({ keys: [], scopes: [1] }), 'scopes'],
  ['a key with an unknown member', () => ({ keys: [{ ...stored(), expires: 1 }] }), 'keys[0].expires'],
  ['a key beside its hash', () => ({ keys: [{ ...ada, subject: 'ada' }] }), 'keys[0].key'],
  ['an expiry in seconds', () => ({ keys: [stored({ expiresAt: Math.floor(Date.now() / 1000) })] }), 'keys[0]'],
];
it.each(wrong)(
  'protectWithApiKeys() with %s throws invalid-argument, which names the place and no key',
  (_what, make, place) => {
    const attempt = () => protectWithApiKeys(make() as ApiKeysOptions);
    expect(attempt).toThrow(TenonError);
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid-argument', details: { place } }));
    expect(attempt).not.toThrow(ada.key);
  },
);
