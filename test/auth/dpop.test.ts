/** DPoP: bound tokens with their proofs, nonces that every node accepts, and used proofs that nodes share. */
import { tool } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import { createMemoryStore } from 'tenon/store';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryOnce } from '../../src/store/memory.ts';
import { makeProof, newProofKey, type ProofKey } from '../kit/auth/dpop.ts';
import { newKey, resource, type SigningKey, startIssuer } from '../kit/auth/issuer.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { loneCall, startSession } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';

let signing: SigningKey;
let key: ProofKey;
beforeAll(async () => {
  [signing, key] = await Promise.all([newKey('k1'), newProofKey()]);
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());
const advance = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

async function start(dpop: NonNullable<ProtectOptions['dpop']>, more: Partial<ProtectOptions> = {}) {
  const issuer = await startIssuer(signing);
  const node = async () => {
    const authenticate = protect({ issuer: issuer.issuer, resource, dpop, ...more });
    const served = await serve({ authenticate }, {}, { tools: { it: tool({}, () => 'ok') } });
    const call = (authorization: string, proof?: string) => {
      const sent = loneCall('it');
      return send(served.url, { ...sent, headers: { ...sent.headers, authorization, dpop: proof } });
    };
    return { served, call };
  };
  const token = await issuer.sign({ cnf: { jkt: key.jkt } });
  return { issuer, token, node, ...(await node()) };
}

const secrets = ['a shared secret of the nodes'];

describe('a bound token', () => {
  it.each(['ES256', 'ES384', 'Ed25519', 'PS256', 'RS256'])(
    'is accepted with a proof by %s [ext-dpop-02, ext-dpop-09]',
    async (alg) => {
      const own = await newProofKey(alg);
      const { issuer, call } = await start('required');
      const token = await issuer.sign({ cnf: { jkt: own.jkt } });
      for (let n = 0; n < 2; n++) expect((await call(`dpop ${token}`, await makeProof(own, token))).status).toBe(200);
    },
  );

  it.each([
    `${resource}?a=b#c`,
    'HTTPS://MCP.example:443/mcp',
    'https://mcp.example/%6Dcp',
    'https://mcp.example/x/../mcp',
  ])('is accepted with a proof for %s, which is the same URL', async (htu) => {
    const { token, call } = await start('required');
    expect((await call(`DPoP ${token}`, await makeProof(key, token, { htu }))).status).toBe(200);
  });

  it('needs a proof for the URLs in dpop.urls where those are not the resource', async () => {
    const { token, call } = await start({ urls: ['https://mcp.example/a', 'https://mcp.example/b'] });
    for (const [htu, status] of [
      ['a', 200],
      ['b', 200],
      ['mcp', 401],
    ] as const)
      expect(
        (await call(`DPoP ${token}`, await makeProof(key, token, { htu: `https://mcp.example/${htu}` }))).status,
      ).toBe(status);
  });

  it('is accepted beside bearer tokens where DPoP is optional', async () => {
    const { issuer, token, call } = await start('optional');
    expect((await call(`DPoP ${token}`, await makeProof(key, token))).status).toBe(200);
    expect((await call(`Bearer ${await issuer.sign()}`)).status).toBe(200);
  });

  it('needs a new proof for every request of a session, each for its method', async () => {
    const { token, served } = await start('required');
    const proof = async (htm = 'POST') => ({
      authorization: `DPoP ${token}`,
      dpop: await makeProof(key, token, { htm }),
    });
    const session = await startSession(served.url, '2025-11-25', { headers: await proof(), isReady: false });
    expect(session.greeting.status).toBe(200);
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401);
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, await proof())).status).toBe(200);
    const ended = { method: 'DELETE', headers: { ...session.headers, ...(await proof('DELETE')) } };
    expect((await send(served.url, ended)).status).toBe(204);
  });

  it('of a function verify() is bound by the jkt that it returns', async () => {
    const verify = () => ({ issuer: 'https://id.example', subject: 'ada', jkt: key.jkt });
    const { call } = await start('optional', { verify });
    expect((await call('DPoP opaque', await makeProof(key, 'opaque'))).status).toBe(200);
    expect((await call('Bearer opaque')).status).toBe(401);
  });
});

describe('nonces', () => {
  it('are demanded by use_dpop_nonce, and a proof with the nonce is accepted [ext-dpop-12]', async () => {
    const { token, call } = await start({ nonces: true });
    const refused = await call(`DPoP ${token}`, await makeProof(key, token));
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^DPoP error="use_dpop_nonce", /);
    const nonce = String(refused.headers['dpop-nonce']);
    for (let n = 0; n < 2; n++)
      expect((await call(`DPoP ${token}`, await makeProof(key, token, { nonce }))).status).toBe(200);
    for (const wrong of ['x', 1, '', null])
      expect(
        (await call(`DPoP ${token}`, await makeProof(key, token, { nonce: wrong }))).headers['www-authenticate'],
      ).toMatch(/^DPoP error="use_dpop_nonce"/);
  });

  it('are sent with every refusal, so that the first proof can have one', async () => {
    const { token, call } = await start({ nonces: true });
    const { headers } = await call('');
    const nonce = String(headers['dpop-nonce']);
    expect((await call(`DPoP ${token}`, await makeProof(key, token, { nonce }))).status).toBe(200);
    expect((await (await start('required')).call('')).headers['dpop-nonce']).toBeUndefined();
  });

  it('expire after a few minutes, and not before two', async () => {
    const { token, call } = await start({ nonces: true });
    const nonce = String((await call('')).headers['dpop-nonce']);
    advance(119_000);
    expect((await call(`DPoP ${token}`, await makeProof(key, token, { nonce }))).status).toBe(200);
    advance(121_000);
    const late = await call(`DPoP ${token}`, await makeProof(key, token, { nonce }));
    expect([late.status, late.headers['dpop-nonce'] === nonce]).toEqual([401, false]);
  });

  it('of one node are accepted by every node that shares a secret, and by no other', async () => {
    const { token, call, node } = await start({ secrets });
    const nonce = String((await call('')).headers['dpop-nonce']);
    const proof = (): Promise<string> => makeProof(key, token, { nonce });
    expect((await (await node()).call(`DPoP ${token}`, await proof())).status).toBe(200);
    const renewed = await start({ secrets: ['a newer secret of the nodes', ...secrets] });
    const bound = (own: string): Promise<string> => makeProof(key, own, { nonce });
    expect((await renewed.call(`DPoP ${renewed.token}`, await bound(renewed.token))).status).toBe(200);
    const alone = await start({ nonces: true });
    expect((await alone.call(`DPoP ${alone.token}`, await bound(alone.token))).status).toBe(401);
  });
});

describe('used proofs', () => {
  it('are refused by every node that shares the store [ext-dpop-05]', async () => {
    const { token, call, node } = await start({ once: createMemoryStore().once });
    const other = await node();
    const proof = await makeProof(key, token);
    expect((await call(`DPoP ${token}`, proof)).status).toBe(200);
    expect((await other.call(`DPoP ${token}`, proof)).status).toBe(401);
  });

  it('of one principal that fill its share get 503, and those of others do not [S24, S36]', async () => {
    const own = await newProofKey();
    const { issuer, token, call, served } = await start('required', {
      limits: withFixed({}, { maxProofs: 5, maxProofsPerPrincipal: 2 }),
    });
    const another = await issuer.sign({ sub: 'another', cnf: { jkt: own.jkt } });
    const proof = await makeProof(key, token);
    expect((await call(`DPoP ${token}`, proof)).status).toBe(200);
    expect((await call(`DPoP ${token}`, await makeProof(key, token))).status).toBe(200);
    const full = await call(`DPoP ${token}`, await makeProof(key, token));
    expect([full.status, full.headers['retry-after']]).toEqual([503, '1']);
    expect(served.warnings).toMatchObject([{ cause: { code: 'store-failed' } }]);
    expect((await call(`DPoP ${another}`, await makeProof(own, another))).status).toBe(200);
    expect((await call(`DPoP ${token}`, proof)).status).toBe(401);
    advance(345_000);
    expect((await call(`DPoP ${token}`, await makeProof(key, token))).status).toBe(200);
    expect((await call(`DPoP ${token}`, proof)).status).toBe(401);
  });

  it('of five keys of one principal fill the share of that principal only [S24, S36]', async () => {
    const { issuer, call } = await start('required', {
      limits: withFixed({}, { maxProofs: 10, maxProofsPerPrincipal: 2 }),
    });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) {
      const own = await newProofKey();
      const token = await issuer.sign({ sub: 'eve', cnf: { jkt: own.jkt } });
      for (let sent = 0; sent < 2; sent++)
        statuses.push((await call(`DPoP ${token}`, await makeProof(own, token))).status);
    }
    expect(statuses).toEqual([200, 200, ...Array(8).fill(503)]);
    const own = await newProofKey();
    const another = await issuer.sign({ sub: 'ada', cnf: { jkt: own.jkt } });
    expect((await call(`DPoP ${another}`, await makeProof(own, another))).status).toBe(200);
  });

  it('that cannot be stored get 503: no request is served unchecked', async () => {
    const once = { burn: () => Promise.reject(new Error('no connection')) };
    const { token, call, served } = await start({ once });
    expect((await call(`DPoP ${token}`, await makeProof(key, token))).status).toBe(503);
    expect(served.warnings).toMatchObject([{ cause: { code: 'store-failed', cause: { message: 'no connection' } } }]);
  });

  it('with a long jti are stored by its hash, and refused too', async () => {
    const once = memoryOnce();
    const burn = vi.spyOn(once, 'burn');
    const { token, call } = await start({ once });
    const proofs = ['a', 'b'].map((end) => makeProof(key, token, { jti: 'x'.repeat(255) + end }));
    for (const status of [200, 401])
      for (const proof of proofs) expect((await call(`DPoP ${token}`, await proof)).status).toBe(status);
    for (const [stored] of burn.mock.calls) expect(stored.length).toBeLessThan(120);
  });

  it('are remembered for as long as any node accepts them, also those with a time in the future', async () => {
    const once = memoryOnce();
    const burn = vi.spyOn(once, 'burn');
    const { token, call } = await start({ once });
    const iat = Math.floor(Date.now() / 1000) + 290;
    const proof = await makeProof(key, token, { iat, jti: 'one' });
    expect((await call(`DPoP ${token}`, proof)).status).toBe(200);
    expect(burn).toHaveBeenCalledWith(
      `dpop ${key.jkt} one`,
      (iat + 330) * 1000,
      expect.stringMatching(/^principal .*"ada"/),
    );
    advance(580_000);
    expect((await call(`DPoP ${token}`, proof)).status).toBe(401);
    expect(burn).toHaveLastReturnedWith(false);
  });
});
