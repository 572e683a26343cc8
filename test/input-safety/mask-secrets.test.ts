/** Masking of secrets: in texts by their form, in values by the names of fields. */
import { maskSecrets } from 'tenon/input-safety';
import { describe, expect, it } from 'vitest';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl';

describe('a text', () => {
  it.each([
    ['Authorization: Bearer abc.def', 'Authorization: [masked]'],
    ['got bearer abcdef123 from', 'got bearer [masked] from'],
    ['Basic dXNlcjpwYXNz', 'Basic [masked]'],
    ['Cookie: a=b; c=d\nHost: x', 'Cookie: [masked]\nHost: x'],
    ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [masked]'],
    [`the token ${jwt}.`, 'the token [masked]'],
    ['https://me:pass@a.example/x', 'https://[masked]@a.example/x'],
    ['postgres://me:p4ss@db:5432/x', 'postgres://[masked]@db:5432/x'],
    ['https://a.example/?access_token=abc&x=1', 'https://a.example/?access_token=[masked]&x=1'],
    ['{"authorization":"Bearer abc","x":1}', '{"authorization":"[masked]","x":1}'],
    ['{"api_key": "a \\" b", "x": "y"}', '{"api_key": "[masked]", "x": "y"}'],
    ['{"text":"{\\"password\\":\\"abc\\",\\"x\\":1}"}', '{"text":"{\\"password\\":[masked]\\",\\"x\\":1}"}'],
    ['{"authorization":["abc","def"],"x":1}', '{"authorization":[masked],"x":1}'],
    ["password='two words' user=me", "password='[masked]' user=me"],
    ['DB_PASSWORD=abc other', 'DB_PASSWORD=[masked] other'],
    ['--client-secret=abc', '--client-secret=[masked]'],
    ['sk-proj-abcdefghijklmnopqrst', '[masked]'],
    ['sk-ant-api03-abcdefghijklmnopqrst-x', '[masked]'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[masked]'],
    ['github_pat_abcdefghijklmnop_qrst', '[masked]'],
    ['xoxb-123456789012-abcdefgh', '[masked]'],
    ['key tnk_0123456789abcdef_abcdefghijklmnop-qrstuvwxyz rest', 'key [masked] rest'],
    ['sent DPoP opaque_123 and the DPoP proof', 'sent DPoP [masked] and the DPoP proof'],
    ['AKIAIOSFODNN7EXAMPLE', '[masked]'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstuv', '[masked]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY----- x', '[masked] x'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', '[masked]'],
  ])('%s has its secret masked [S36]', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each([
    'the weather in Oslo: rain, 4 degrees',
    '{"progressToken":7,"maxTokens":100,"nextPageToken":"abc"}',
    'https://a.example:8080/path?q=1#x',
    'see file.ts:12:3 and a=b&c=d',
    'basic training for bearers of news',
    'sk-learn and pk-chunking',
  ])('%s is not changed', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it('takes further patterns', () => {
    expect(maskSecrets('case 12-3456 and 99-0000', { patterns: [/\d\d-\d{4}/] })).toBe('case [masked] and [masked]');
  });

  // Each of these takes minutes with an expression that backtracks.
  it.each([
    'eyJa-',
    'sk-a_',
    'a="\\"',
    "a='\\",
    'password',
    'token: ',
    '://a:',
    '-----BEGIN PRIVATE KEY-----',
    'Bearer ',
    'a.-b',
    'authorization ',
    'cookie   ',
    'xoxb-a ',
  ])('of a million characters of %j is masked in one pass', (part) => {
    expect(maskSecrets(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(4_000_000);
  });
});

describe('a value', () => {
  it('is copied, and fields that hold secrets are masked whatever they hold [S36]', () => {
    const value = {
      Authorization: 'Bearer abc',
      headers: { 'X-Api-Key': 'abc', 'set-cookie': ['a=b'], accept: 'text/plain' },
      user: { name: 'me', password: 1234, hasPassword: true, token: null, credentials: { a: 'b' } },
      _meta: { progressToken: 7, authorization: { scheme: 'x', value: 'y' } },
      list: ['Bearer abcdef', 3, { refresh_token: 'x' }],
    };
    const before = structuredClone(value);
    expect(maskSecrets(value)).toEqual({
      Authorization: '[masked]',
      headers: { 'X-Api-Key': '[masked]', 'set-cookie': '[masked]', accept: 'text/plain' },
      user: { name: 'me', password: '[masked]', hasPassword: true, token: null, credentials: '[masked]' },
      _meta: { progressToken: 7, authorization: '[masked]' },
      list: ['Bearer [masked]', 3, { refresh_token: '[masked]' }],
    });
    expect(value).toEqual(before);
  });

  it('may contain values that JSON does not have', () => {
    const error = Object.assign(new TypeError('failed with Bearer abcdef', { cause: { secret: 'x' } }), {
      apiKey: 'k',
    });
    const copied = maskSecrets<unknown>({
      error,
      map: new Map([['password', 'x']]),
      set: new Set(['Bearer abcdef']),
      headers: new Headers({ authorization: 'x', accept: 'y' }),
      url: new URL('https://a:b@c.example/'),
      bytes: new Uint8Array(3),
      run: () => 1,
    });
    expect(copied).toEqual({
      error: {
        name: 'TypeError',
        message: 'failed with Bearer [masked]',
        stack: expect.stringContaining('Bearer [masked]'),
        cause: { secret: '[masked]' },
        apiKey: '[masked]',
      },
      map: new Map([['password', '[masked]']]),
      set: new Set(['Bearer [masked]']),
      headers: { authorization: '[masked]', accept: 'y' },
      url: 'https://[masked]@c.example/',
      bytes: '[3 bytes]',
      run: '[function]',
    });
  });

  it('is bounded in depth and number, and may be circular or throw', () => {
    const circular: Record<string, unknown> = { twice: {} };
    circular['self'] = circular;
    expect(maskSecrets(circular)).toEqual({ twice: {}, self: '[circular]' });
    let deep: unknown = 'Bearer abcdef';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(JSON.stringify(maskSecrets(deep))).toBe(`${'['.repeat(32)}"[nested too deep]"${']'.repeat(32)}`);
    expect(maskSecrets(Array.from({ length: 100_000 }, () => 'x'))).toHaveLength(20_000);
    const throwing = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(maskSecrets(throwing)).toEqual({ a: '[not readable]' });
  });

  it('keeps a key named __proto__ a key', () => {
    const copied = maskSecrets(JSON.parse('{"__proto__":{"token":"x"}}') as object);
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"token":"[masked]"}}');
    expect(Object.getPrototypeOf(copied)).toBe(Object.prototype);
  });

  it('takes names of further fields', () => {
    expect(maskSecrets({ patient_id: 'x', other: 'y' }, { fields: ['patientId'] })).toEqual({
      patient_id: '[masked]',
      other: 'y',
    });
    expect(() => maskSecrets('x', { field: ['a'] } as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });
});
