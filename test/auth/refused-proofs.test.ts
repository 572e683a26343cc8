/** DPoP proofs that are forged, stale, misbound, replayed or missing are refused, each with the challenge for it. */
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { tool } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashOf, jwkOf, makeProof, newProofKey, type ProofKey } from '../kit/auth/dpop.ts';
import { newKey, resource, type SigningKey, seconds, startIssuer } from '../kit/auth/issuer.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

const metadata = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"';
const algs = 'algs="ES256 ES384 ES512 EdDSA Ed25519 PS256 RS256"';

let signing: SigningKey;
let key: ProofKey;
let other: ProofKey;
beforeAll(async () => {
  [signing, key, other] = await Promise.all([newKey('k1'), newProofKey(), newProofKey()]);
});

async function start(more: Partial<ProtectOptions> = {}) {
  const issuer = await startIssuer(signing);
  const authenticate = protect({ issuer: issuer.issuer, resource, dpop: 'required', ...more });
  const served = await serve({ authenticate }, {}, { tools: { it: tool({}, () => 'ok') } });
  const call = (authorization: string, dpop?: string | string[]) => {
    const sent = loneCall('it');
    const headers = { ...sent.headers, authorization, ...(dpop !== undefined && { dpop }) };
    return send(served.url, { ...sent, headers: headers as never });
  };
  const token = await issuer.sign({ cnf: { jkt: key.jkt } });
  return { issuer, served, call, token };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const withPart = (text: string, at: number, part: string): string => text.split('.').with(at, part).join('.');

type Make = (token: string) => string | Promise<string>;
const proof = (claims?: object, header?: Record<string, unknown>): Make => {
  return (token) => makeProof(key, token, claims as never, header);
};
const cases: Record<string, Make> = {
  'that is not a JWT': () => 'canary-4711',
  'that is empty': () => '',
  'with alg none': async (token) =>
    new UnsecuredJWT({ jti: '1', htm: 'POST', htu: resource, iat: seconds(), ath: await hashOf(token) }).encode(),
  'with HS256 and a secret as its key': (token) =>
    new SignJWT({ jti: '1', htm: 'POST', htu: resource, iat: seconds(), ath: token })
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: { kty: 'oct', k: encode('x'.repeat(32)) } as never })
      .sign(new TextEncoder().encode('x'.repeat(32))),
  'of the type JWT': proof({}, { typ: 'JWT' }),
  'of the type of an access token': proof({}, { typ: 'at+jwt' }),
  'without a type': proof({}, { typ: undefined }),
  'without a key': proof({}, { jwk: undefined }),
  'with the URL of a key instead of the key': proof({}, { jwk: undefined, jku: 'https://evil.example/jwks' }),
  'with a private key': async (token) => makeProof(key, token, {}, { jwk: await exportJWK(key.privateKey) }),
  'with another key than that which signed it': proof({}, { jwk: undefined, kid: 'proof' }),
  'whose key is replaced by that of the token': async (token) =>
    withPart(await makeProof(other, token), 0, encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: jwkOf(key) })),
  'whose payload was changed': async (token) => {
    const text = await makeProof(key, token, { htm: 'GET' });
    const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
    return withPart(text, 1, encode({ ...claims, htm: 'POST' }));
  },
  'whose signature was changed': async (token) => {
    const text = await makeProof(key, token);
    const bytes = Buffer.from(text.split('.')[2] ?? '', 'base64url');
    return withPart(text, 2, Buffer.from(bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte))).toString('base64url'));
  },
  'whose signature is empty': async (token) => withPart(await makeProof(key, token), 2, ''),
  'with an extension that must be understood': proof({}, { crit: ['x'], x: 1 }),
  'for another method': proof({ htm: 'GET' }),
  'for the method in small letters': proof({ htm: 'post' }),
  'without a method': proof({ htm: undefined }),
  'for another URL': proof({ htu: 'https://mcp.example/other' }),
  'for another host': proof({ htu: 'https://evil.example/mcp' }),
  'for another scheme': proof({ htu: 'http://mcp.example/mcp' }),
  'for another port': proof({ htu: 'https://mcp.example:8443/mcp' }),
  'for the URL with a slash behind it': proof({ htu: `${resource}/` }),
  'for a URL that is none': proof({ htu: '/mcp' }),
  'without a URL': proof({ htu: undefined }),
  'that is older than 5 minutes': proof({ iat: seconds() - 302 }),
  'of more than 5 minutes in the future': (token) => makeProof(key, token, { iat: seconds() + 330 }),
  'that has expired': proof({ exp: seconds() - 31 }),
  'whose expiry is a text': proof({ exp: 'tomorrow' }),
  'that is not valid yet': proof({ nbf: seconds() + 60 }),
  'without a time': proof({ iat: undefined }),
  'without a jti': proof({ jti: undefined }),
  'with an empty jti': proof({ jti: '' }),
  'with a jti that is a number': proof({ jti: 1 }),
  'with a jti of more than 256 characters': proof({ jti: 'x'.repeat(257) }),
  'of more than 4096 characters': proof({ note: 'x'.repeat(4096) }),
  'without the hash of the token': proof({ ath: undefined }),
  'with the hash of another token': async (token) => makeProof(key, `${token}x`),
};

describe('a DPoP proof', () => {
  it.each(Object.entries(cases))(
    '%s gets 401 with invalid_dpop_proof [S21, ext-dpop-02, ext-dpop-03, ext-dpop-04]',
    async (_what, make) => {
      const { call, token, served } = await start();
      const sent = await make(token);
      const { status, headers, text } = await call(`DPoP ${token}`, sent);
      expect(status).toBe(401);
      const challenge = headers['www-authenticate'] ?? '';
      expect(challenge).toMatch(/^DPoP error="invalid_dpop_proof", error_description="The DPoP proof [\w ,]+", /);
      expect(challenge).toContain(`${algs}, ${metadata}`);
      const written = challenge + text + served.warnings.map((one) => JSON.stringify(one) + one.stack).join();
      expect(written).not.toContain(token);
      expect(written).not.toContain(sent || token);
      expect((await call(`DPoP ${token}`, await makeProof(key, token))).status).toBe(200);
      const withKnownKey = await call(`DPoP ${token}`, await make(token));
      expect(withKnownKey.status).toBe(401);
      expect(withKnownKey.headers['www-authenticate']).toBe(challenge);
    },
  );

  it('of another key than that of the token gets 401 with invalid_token [S21, ext-dpop-02, ext-dpop-04]', async () => {
    const { call, token } = await start();
    const { status, headers } = await call(`DPoP ${token}`, await makeProof(other, token));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^DPoP error="invalid_token", error_description="The token is bound /);
  });

  it('that is missing gets 401 with invalid_dpop_proof [S21, ext-dpop-02, ext-dpop-04]', async () => {
    const { call, token } = await start();
    const { status, headers } = await call(`DPoP ${token}`);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe(
      `DPoP error="invalid_dpop_proof", error_description="The request has no DPoP proof", ${algs}, ${metadata}`,
    );
  });

  it('beside a second one gets 401, also if both are valid [ext-dpop-02]', async () => {
    const { call, token } = await start();
    const two = [await makeProof(key, token), await makeProof(key, token)];
    expect((await call(`DPoP ${token}`, two)).status).toBe(401);
  });

  it('is accepted once: of 20 at the same moment one, and none later [S21, ext-dpop-05, ext-dpop-06]', async () => {
    const { call, token } = await start();
    const sent = await makeProof(key, token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(`DPoP ${token}`, sent)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
    const { status, headers } = await call(`DPoP ${token}`, sent);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('error_description="The DPoP proof was used before"');
  });

  it('does not replace the checks of the token: audience, issuer, expiry [ext-dpop-15]', async () => {
    const { call, issuer } = await start();
    const cnf = { jkt: key.jkt };
    for (const claims of [{ aud: 'https://other.example' }, { iss: 'https://evil.example' }, { exp: seconds() - 60 }]) {
      const token = await issuer.sign({ ...claims, cnf });
      const { status, headers } = await call(`DPoP ${token}`, await makeProof(key, token));
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toMatch(/^DPoP error="invalid_token"/);
    }
  });
});

describe('a token', () => {
  it('that is bound to a key gets 401 as a bearer token, with or without a proof [S21, ext-dpop-04]', async () => {
    for (const dpop of ['required', 'optional'] as const) {
      const { call, token } = await start({ dpop });
      for (const sent of [undefined, await makeProof(key, token)]) {
        const { status, headers } = await call(`Bearer ${token}`, sent);
        expect(status).toBe(401);
        expect(headers['www-authenticate']).toMatch(
          /^DPoP error="invalid_token", error_description="The token is bound/,
        );
      }
    }
  });

  it('that is not bound to a key gets 401 with a proof, and without one where DPoP is required', async () => {
    const { call, issuer } = await start();
    const token = await issuer.sign();
    for (const answer of [await call(`Bearer ${token}`), await call(`DPoP ${token}`, await makeProof(key, token))]) {
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^DPoP error="invalid_token", .*not bound to a key/);
    }
  });

  it.each([
    ['a certificate', { 'x5t#S256': 'x' }],
    ['a key and a certificate', { jkt: 'x', 'x5t#S256': 'x' }],
    ['a thumbprint that is no text', { jkt: 1 }],
    ['nothing', {}],
    ['a text', 'x'],
  ])('that is bound to %s gets 401', async (_what, cnf) => {
    const { call, issuer } = await start();
    const token = await issuer.sign({ cnf });
    const answer = await call(`DPoP ${token}`, await makeProof(key, token));
    expect([answer.status, answer.headers['www-authenticate']?.split(',')[0]]).toEqual([
      401,
      'DPoP error="invalid_token"',
    ]);
  });

  it('that is missing gets the schemes that are accepted', async () => {
    const required = await (await start()).call('Basic x');
    expect(required.headers['www-authenticate']).toBe(`DPoP ${algs}, ${metadata}`);
    const optional = await (await start({ dpop: 'optional' })).call('Basic x');
    expect(optional.headers['www-authenticate']).toBe(`Bearer ${metadata}, DPoP ${algs}, ${metadata}`);
  });

  it('that is malformed gets 400, with too few scopes 403', async () => {
    const { call, token } = await start({ scopes: ['read'] });
    const malformed = await call('DPoP a b', 'x');
    expect(malformed.status).toBe(400);
    expect(malformed.headers['www-authenticate']).toMatch(/^DPoP error="invalid_request"/);
    const few = await call(`DPoP ${token}`, await makeProof(key, token));
    expect(few.status).toBe(403);
    expect(few.headers['www-authenticate']).toBe(`DPoP error="insufficient_scope", ${algs}, ${metadata}, scope="read"`);
  });
});
