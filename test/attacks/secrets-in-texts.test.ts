/** Secrets of many forms, made up in thousands: none stays in a text that is masked, and look-alikes do. */
import * as fc from 'fast-check';
import { maskSecrets } from 'tenon/input-safety';
import { describe, expect, it } from 'vitest';
import { Placeholders } from '../../src/capture/redaction/placeholders.ts';
import { redactValue } from '../../src/capture/redaction/redact-value.ts';
import { scaled } from '../kit/long.ts';

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const of = (unit: readonly string[], minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength });

const plain = of(letters, 20, 40).map((text) => `q7${text}`);
const dashed = of([...letters, '-', '_'], 40, 100);
/** As people choose them: with commas, semicolons, signs. */
const chosen = of([...letters, ',', ';', '!', '$', '%', '^', '*', '.'], 10, 20).map((text) => `Zq9${text}9z`);

/** Each form: how its secret is made, and the texts that it stands in. */
const forms: Readonly<Record<string, readonly [fc.Arbitrary<string>, ...((secret: string) => string)[]]>> = {
  'a key of Anthropic': [dashed.map((end) => `sk-ant-api03-${end}AA`), (key) => `use ${key} here`],
  'a key of OpenAI': [dashed.map((end) => `sk-proj-${end}A1`), (key) => `key ${key}`, (key) => `(${key})`],
  'a marked token': [
    fc
      .tuple(fc.constantFrom('sbp_', 'gsk_', 'figd_', 'shpat_', 'xapp-1-', 'ATATT3x', 'glpat-', 'hf_', 'ghp_'), plain)
      .map(([prefix, end]) => prefix + end),
    (token) => `it is ${token}.`,
  ],
  'a JSON Web Token': [
    fc.tuple(plain, plain, plain).map(([head, claims, signature]) => `eyJ${head}.eyJ${claims}.${signature}`),
    (token) => `it is ${token}, unfortunately`,
  ],
  'a key of ours, of Amazon or of Google': [
    fc.oneof(
      plain.map((end) => `tnk_a1_${end}`),
      of([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'], 16).map((end) => `AKIA${end}`),
      of(letters, 35).map((end) => `AIza${end}`),
      plain.map((end) => `ya29.${end}`),
    ),
    (key) => `it is ${key}.`,
  ],
  'a block of PGP': [
    plain,
    (body) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: a-b\n\n${body}\n-----END PGP PRIVATE KEY BLOCK----- x`,
  ],
  'an encrypted key': [
    plain,
    (body) =>
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A\n\n${body}\n-----END RSA PRIVATE KEY-----`,
  ],
  'a value of a name': [
    chosen,
    (value) => `password:     ${value}`,
    (value) => `password=${value} user=me`,
    (value) => `{'password': b'${value}'}`,
    (value) => `user[password]=${value}`,
    (value) => `<password>${value}</password>`,
    (value) => `<ns:secretKey id="1">${value}</ns:secretKey>`,
    (value) => `api key: ${value}`,
    (value) => `\u001b[31mpassword\u001b[0m: ${value}`,
    (value) => `Set-Cookie: sid="${value}"; Path=/`,
    (value) => `cookie: a=1; b="${value}"`,
    (value) => `{"tokens": ["${value}"]}`,
    (value) => `client_assertion=${value}`,
    (value) => `code_verifier: ${value}`,
    (value) => `DefaultEndpointsProtocol=https;AccountKey=${value}`,
  ],
  'a link': [
    plain,
    (token) => `https://hooks.slack.com/services/T0001/B0001/${token}`,
    (token) => `cloned https://${token}@host.example/x.git`,
    (token) => `https://x-access-token:${token}@host.example/x.git`,
  ],
};

const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'percent signs': (text) => encodeURIComponent(text),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
};

const numRuns = scaled(300, 5000);

describe.each(Object.entries(forms))('%s', (_, [secrets, ...texts]) => {
  it('is masked, whatever it is [S36]', () => {
    for (const text of texts)
      fc.assert(
        fc.property(secrets, (secret) => {
          expect(maskSecrets(text(secret))).not.toContain(secret);
          expect(JSON.stringify(redactValue({ note: text(secret) }, new Placeholders()))).not.toContain(secret);
        }),
        { numRuns },
      );
  });
});

describe.each(Object.entries(encodings))('in %s', (_, encode) => {
  it('a secret that has a form is masked [S36]', () => {
    const [keys] = forms['a key of Anthropic'] as readonly [fc.Arbitrary<string>];
    fc.assert(
      fc.property(keys, (key) => {
        const encoded = encode(`key=${key}`);
        expect(maskSecrets(`log ${encoded} end`)).not.toContain(encoded.slice(8, -8));
      }),
      { numRuns },
    );
  });

  it('a secret that a capture knows by its name is redacted [S36]', () => {
    fc.assert(
      fc.property(chosen, fc.nat({ max: 5 }), (secret, before) => {
        const placeholders = new Placeholders();
        redactValue({ password: secret }, placeholders);
        const encoded = encode(`${'x'.repeat(before)}${secret}yy`);
        const shown = String(redactValue(`log ${encoded} end`, placeholders));
        expect(shown).toContain('‹redacted:1›');
        expect(shown).not.toContain(encoded);
      }),
      { numRuns },
    );
  });
});

describe('a value', () => {
  it('with a name beside it is masked, and so is an object of a secret name [S36]', () => {
    const value = {
      env: [
        { name: 'API_KEY', value: 'one-1' },
        { key: 'db_password', value: { text: 'two-2' } },
        { name: 'city', value: 'Oslo' },
      ],
      credentials: { user: 'ada', key: 'three-3' },
      tokens: ['four-4'],
      usage: { inputTokens: 12, tokens: [1, 2] },
    };
    for (const shown of [maskSecrets(value), redactValue(value, new Placeholders())]) {
      expect(JSON.stringify(shown)).not.toMatch(/one-1|two-2|three-3|four-4/);
      expect(shown).toMatchObject({
        env: [{ name: 'API_KEY' }, { key: 'db_password' }, { name: 'city', value: 'Oslo' }],
        usage: { inputTokens: 12, tokens: [1, 2] },
      });
    }
  });

  it('of a schema is not', () => {
    const schema = {
      type: 'object',
      properties: { password: { type: 'string', description: 'At least 8 characters.' } },
      $defs: { credentials: { type: 'object', properties: { token: { type: 'string' } } } },
    };
    expect(redactValue(schema, new Placeholders())).toEqual(schema);
  });
});

describe('a look-alike', () => {
  const word = of([...'abcdefghijklmnopqrstuvwxyz'], 2, 12);
  const words = fc.array(word, { minLength: 1, maxLength: 8 });
  const harmless: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'of words': words.map((all) => `${all.join(' ')}, ${all.join('-')}.`),
    'that begins like a key': words.map((all) => `sk-${all.join('-')} and pk_${all.join('_')}`.slice(0, 15)),
    'that is a UUID, a hash or random bytes': fc.oneof(
      fc.uuid(),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
      fc.uint8Array({ minLength: 30, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    ),
    'that is an address or a path': words.map(
      (all) =>
        `https://${all[0]}.example/${all.join('/')}?page=2 ssh://git@host.example/${all[0]} /home/${all.join('/')}`,
    ),
    'that is text in an encoding': words.map(
      (all) => `${Buffer.from(all.join(' ')).toString('base64')} ${encodeURIComponent(`${all.join(' ')}/ø`)}`,
    ),
  };

  it.each(Object.entries(harmless))('%s stays as it is [S36]', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(maskSecrets(text)).toBe(text);
      }),
      { numRuns },
    );
  });
});
