/** The storage of an authorization server on SQLite, Redis and PostgreSQL: two nodes with connections of their own, and what a dump shows. */
import { createStore } from 'tenon/store';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryDriver } from '../../../src/store/memory/memory-driver.ts';
import { clientId, type EngineNode, engineSecret, startEngineNode } from '../../kit/auth/engine-node.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { type OpenOptions, openAt, type StoreAddress } from '../../kit/stores/open-at.ts';
import { storedBytes } from '../../kit/stores/stored-bytes.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { plantSecrets, readableIn } from './dumps.ts';

const encryption = { keys: ['the secret of the store of this test, long'] };
const patient = { commandMs: 60_000, connectMs: 60_000, busyMs: 60_000 };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function startNode(address: StoreAddress, options: OpenOptions = {}): Promise<EngineNode> {
  const store = await openAt(address, { ...patient, ...options });
  closing.push(() => store.close());
  const node = await startEngineNode({ store });
  closing.push(() => node.close());
  return node;
}

describe.each(enginesHere)('An authorization server on %s', (_, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  const startTwo = async (): Promise<readonly [EngineNode, EngineNode]> => {
    const address = started.next();
    const nodes = await Promise.all([startNode(address), startNode(address)]);
    return [nodes[0], nodes[1]];
  };

  it('has the same keys on both nodes, and accounts that both change', async () => {
    const [one, other] = await startTwo();
    expect(one.storage.keys.current()).toEqual(other.storage.keys.current());
    await one.issueCode('github:1');
    const touch = (node: EngineNode) =>
      node.storage.accounts.update(
        'github:1',
        (account) => account && { ...account, checkedAt: account.checkedAt + 1 },
      );
    const before = (await one.storage.accounts.read('github:1'))?.checkedAt ?? 0;
    await Promise.all(Array.from({ length: 8 }, (__, n) => touch(n % 2 === 0 ? one : other)));
    expect((await other.storage.accounts.read('github:1'))?.checkedAt).toBe(before + 8);
  });

  it('gives one node tokens for a code that both exchange at once, and revokes the grant', async () => {
    const [one, other] = await startTwo();
    for (let round = 0; round < 5; round++) {
      const code = await one.issueCode('github:1');
      const answers = await Promise.all([one.exchange(code), other.exchange(code)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const refreshToken = answers.find(({ status }) => status === 200)?.body.refresh_token ?? '';
      expect(await other.refresh(refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  });

  it('gives identical responses to refreshes that are repeated at once and later, on both nodes', async () => {
    const [one, other] = await startTwo();
    let { body } = await one.exchange(await one.issueCode('github:1'));
    for (let round = 0; round < 3; round++) {
      const token = body.refresh_token ?? '';
      const answers = await Promise.all([one, other, one, other].map((node) => node.refresh(token)));
      answers.push(await other.refresh(token));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
      body = answers[0]?.body ?? {};
    }
  });

  it('revokes on both nodes, with one write and one message', async () => {
    const [one, other] = await startTwo();
    const { body } = await one.exchange(await one.issueCode('github:1'));
    const now = Math.floor(Date.now() / 1000);
    const token = { subject: 'github:1', client: clientId, issuedAt: now, grantedAt: now };
    expect(await other.storage.revocations.isRevoked(token)).toBe(false);
    expect(await withTimeout(one.storage.revocations.revoke('github:1'), 'a revocation')).toBe(true);
    await expect.poll(() => other.storage.revocations.isRevoked(token)).toBe(true);
    expect(await other.refresh(body.refresh_token ?? '')).toMatchObject({ body: { error: 'invalid_grant' } });
    const again = await other.exchange(await other.issueCode('github:1'));
    expect(await one.refresh(again.body.refresh_token ?? '')).toMatchObject({ status: 200 });
  });

  it.each([
    ['', {}],
    [' of one that is encrypted', { encryption }],
  ])('leaves no token, code, state or key in a dump%s [s-auth-225@2025-03-26, s-security-23]', async (__, options) => {
    const address = started.next();
    const node = await startNode(address, options);
    const planted = await plantSecrets(node);
    expect(planted.length).toBeGreaterThanOrEqual(40);
    // The search can find what is there: names of nodes are not private.
    const store = await openAt(address, { ...patient, ...options });
    closing.push(() => store.close());
    await store.nodes.beat('control-canary', 3_600_000);
    const bytes = await storedBytes(address);
    expect(
      readableIn(bytes, [...planted, ['control', 'control-canary'], ['secret of the store', encryption.keys[0] ?? '']]),
    ).toEqual(['control']);
  });
});

it('leaves no token, code, state or key in what a store in memory has ever got [s-auth-225@2025-03-26]', async () => {
  const driver = createMemoryDriver();
  const got: string[] = [];
  const { run } = driver;
  const store = createStore({
    ...driver,
    run(partition, ops) {
      got.push(JSON.stringify([partition, ops]));
      return run.call(driver, partition, ops);
    },
  });
  const node = await startEngineNode({ store });
  closing.push(() => node.close());
  const planted = await plantSecrets(node);
  await store.nodes.beat('control-canary', 60_000);
  const bytes = got.join('\n');
  expect(bytes).not.toContain(engineSecret);
  expect(readableIn(bytes, [...planted, ['control', 'control-canary']])).toEqual(['control']);
});
