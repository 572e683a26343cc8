/** Codes and refresh tokens of oidc-provider on the storage: two nodes, requests at once, repeats, replays. */
import { createMemoryStore, type Store } from 'tenon/store';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeProof, newProofKey } from '../../kit/auth/dpop.ts';
import { type EngineNode, startEngineNode } from '../../kit/auth/engine-node.ts';

let moment = 0;
let one: EngineNode;
let other: EngineNode;
let store: Store;

async function start(): Promise<EngineNode> {
  const node = await startEngineNode({ store });
  onTestFinished(() => node.close());
  return node;
}

beforeEach(async () => {
  // The clock of the store alone: the engine has that of the machine.
  moment = Date.now();
  store = createMemoryStore({ now: () => moment });
  [one, other] = [await start(), await start()];
});

const signedIn = async (): Promise<string> => {
  const { body } = await one.exchange(await one.issueCode('github:1'));
  return body.refresh_token ?? '';
};

describe('an authorization code', () => {
  it('is exchanged at any node', async () => {
    const answer = await other.exchange(await one.issueCode('github:1'));
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'files:read' } });
    expect(answer.body.access_token).toBeTypeOf('string');
  });

  it('gives one of two nodes tokens if both exchange it at once, and the grant is revoked', async () => {
    for (let round = 0; round < 10; round++) {
      const code = await one.issueCode('github:1');
      const answers = await Promise.all([one.exchange(code), other.exchange(code), one.exchange(code)]);
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      const lost = { status: 400, body: { error: 'invalid_grant' } };
      expect(answers.filter(({ status }) => status !== 200)).toMatchObject([lost, lost]);
      expect(await other.refresh(won[0]?.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
    }
  });

  it('that is used again revokes what it gave', async () => {
    const code = await one.issueCode('github:1');
    const first = await one.exchange(code);
    expect(await other.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await one.refresh(first.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
  });
});

describe('a refresh', () => {
  it('gives another token each time [s-auth-81]', async () => {
    const tokens = [await signedIn()];
    for (const node of [one, other, one]) {
      const { status, body } = await node.refresh(tokens.at(-1) ?? '');
      expect(status).toBe(200);
      tokens.push(body.refresh_token ?? '');
    }
    expect(new Set(tokens).size).toBe(4);
  });

  it('that is repeated unchanged within the grace gets the identical response, at any node', async () => {
    const token = await signedIn();
    const first = await one.refresh(token);
    moment += 29_999;
    expect([await other.refresh(token), await one.refresh(token)]).toEqual([first, first]);
    expect(other.events).toEqual([{ type: 'refresh-repeated', subject: 'github:1', client: 'app' }]);
    expect(await one.refresh(first.body.refresh_token ?? '')).toMatchObject({ status: 200 });
  });

  it('gives one token to 8 identical requests at once', async () => {
    const token = await signedIn();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? one : other).refresh(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await one.refresh(answers[0]?.body.refresh_token ?? '')).toMatchObject({ status: 200 });
  });

  it('that is repeated after the grace is reuse: the grant is revoked', async () => {
    const token = await signedIn();
    const first = await one.refresh(token);
    moment += 30_001;
    expect(await other.refresh(token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await one.refresh(first.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('that differs within the grace is reuse, also at the same moment', async () => {
    const token = await signedIn();
    const first = await one.refresh(token);
    expect(await other.refresh(token, { scope: 'files:read' })).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await one.refresh(first.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });

    const again = await signedIn();
    const answers = await Promise.all([one.refresh(again), other.refresh(again, { scope: 'files:read' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const won = answers.find(({ status }) => status === 200);
    expect(await one.refresh(won?.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('that is refused does not use the token', async () => {
    const token = await signedIn();
    expect(await one.refresh(token, { scope: 'files:write' })).toMatchObject({ body: { error: 'invalid_scope' } });
    expect(await one.refresh(token, { resource: 'https://other.example' })).toMatchObject({ status: 400 });
    expect(await one.refresh(token)).toMatchObject({ status: 200 });
  });

  it('is refused after a revocation, repeats included', async () => {
    const token = await signedIn();
    const first = await one.refresh(token);
    await one.storage.accounts.update('github:1', (account) => account && { ...account, notBefore: Date.now() + 1000 });
    expect(await other.refresh(token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await other.refresh(first.body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('with DPoP can be repeated with another proof of the same key, and with no other key', async () => {
    const [key, stolen] = [await newProofKey(), await newProofKey()];
    const proofAt = async (node: EngineNode, by = key) => ({
      dpop: await makeProof(by, '', { htu: `${node.url}/token`, ath: undefined, jti: crypto.randomUUID() }),
    });
    const { body } = await one.exchange(await one.issueCode('github:1'), await proofAt(one));
    expect(body.token_type).toBe('DPoP');
    const token = body.refresh_token ?? '';
    const first = await one.refresh(token, {}, await proofAt(one));
    expect(await other.refresh(token, {}, await proofAt(other))).toEqual(first);
    expect(await other.refresh(token, {}, await proofAt(other, stolen))).toMatchObject({ status: 400 });
    const proof = await proofAt(other);
    const next = first.body.refresh_token ?? '';
    expect(await other.refresh(next, {}, proof)).toMatchObject({ status: 200 });
    expect(await other.refresh(next, {}, proof)).toMatchObject({ status: 400 });
  });
});
