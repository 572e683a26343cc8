/** Revocations reach the access tokens of all nodes, also of one that starts later, or loses messages. */
import { createMemoryStore } from 'tenon/store';
import { beforeEach, expect, it } from 'vitest';
import { approved, isValid, signedIn } from '../../../src/auth-server/storage/account.ts';
import { accountStore } from '../../../src/auth-server/storage/accounts.ts';
import { createRevocations, type Revocations } from '../../../src/auth-server/storage/revocations.ts';
import { sealedRows } from '../../../src/auth-server/storage/sealed-rows.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { issuer, textSeals } from '../../kit/auth/engine-node.ts';

const subject = 'github:1';
const accessTokenMs = 600_000;
const start = 1_000_000_500;

let clock: FakeClock;
let store: ReturnType<typeof createMemoryStore>;
let reads: number;
let lose: () => void;

const now = (): number => start + clock.now();
const second = (): number => Math.floor(now() / 1000);
const tokenOf = (client: string, issuedAt = second(), grantedAt = issuedAt) => ({
  subject,
  client,
  issuedAt,
  grantedAt,
});

function accounts() {
  const real = accountStore(sealedRows(store.authorizations, issuer, textSeals(['a secret, long enough'])), 1e9);
  return {
    ...real,
    read: (id: string) => {
      reads++;
      return real.read(id);
    },
  };
}

/** `behindMs`: how much its clock is behind that of the others. */
async function startNode(behindMs = 0): Promise<Revocations> {
  const deadlines = createDeadlines(clock);
  const bus = {
    ...store.bus,
    subscribe(topic: string, onMessage: (message: string) => void, onMissed: () => void = () => {}) {
      lose = onMissed;
      return store.bus.subscribe(topic, onMessage, onMissed);
    },
  };
  return createRevocations({
    accounts: accounts(),
    bus,
    issuer,
    accessTokenMs,
    now: () => now() - behindMs,
    deadlines,
  });
}

/** Revokes, and lets the second pass that `revoke` waits for. */
async function revoke(node: Revocations, client?: string): Promise<boolean> {
  const passing = { isOver: false };
  const revoking = node.revoke(subject, client).finally(() => {
    passing.isOver = true;
  });
  while (!passing.isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
  }
  return revoking;
}

beforeEach(async () => {
  clock = createFakeClock();
  store = createMemoryStore();
  reads = 0;
  const client = { name: 'App', redirectUri: 'https://app.example', scopes: [] };
  await accounts().update(subject, () => {
    const account = signedIn(undefined, subject, { subject: '1' }, undefined, now());
    return approved(approved(account, 'a', client, now()), 'b', client, now());
  });
});

it('reach tokens that were issued before, on all nodes, and none that is issued after', async () => {
  const [one, other] = [await startNode(), await startNode()];
  clock.advance(100_000);
  const before = tokenOf('a');
  expect(await one.isRevoked(before)).toBe(false);
  expect(await revoke(one)).toBe(true);
  for (const node of [one, other]) {
    expect(node.isRevoked(before)).toBe(true);
    expect(node.isRevoked(tokenOf('a'))).toBe(false);
    expect(node.isRevoked({ ...before, subject: 'github:2' })).toBe(false);
  }
});

it('reach a token that is issued after them for a grant of before: its exchange had begun', async () => {
  const [one, other] = [await startNode(), await startNode()];
  const grantedAt = second();
  await revoke(one);
  const late = await startNode();
  for (const node of [one, other, late]) {
    expect(await node.isRevoked(tokenOf('a', second(), grantedAt))).toBe(true);
    expect(await node.isRevoked(tokenOf('a', second() + 1, grantedAt))).toBe(true);
  }
});

it('reach what was granted on a node whose clock is ahead', async () => {
  const [ahead, behind] = [await startNode(), await startNode(30_000)];
  const token = tokenOf('a', second() + 1);
  await revoke(behind, 'a');
  for (const node of [ahead, behind, await startNode()]) expect(await node.isRevoked(token)).toBe(true);
  expect(await ahead.isRevoked(tokenOf('b', second()))).toBe(false);
  const client = { name: 'App', redirectUri: 'https://app.example', scopes: [] };
  const account = await accounts().update(subject, (before) => before && approved(before, 'a', client, now()));
  expect(isValid(account, 'a', token.issuedAt)).toBe(false);
});

it('of one client leave the others', async () => {
  const [one, other] = [await startNode(), await startNode()];
  const issuedAt = second();
  await revoke(one, 'a');
  expect(await other.isRevoked(tokenOf('a', issuedAt))).toBe(true);
  expect(await other.isRevoked(tokenOf('b', issuedAt))).toBe(false);
});

it('of what does not exist change nothing', async () => {
  const node = await startNode();
  expect(await node.revoke('github:2')).toBe(false);
  expect(await node.revoke(subject, 'c')).toBe(false);
  expect(await node.revoke(subject, 'constructor')).toBe(false);
});

it('are found in the account by a node that starts later, which reads it once', async () => {
  const issuedAt = second();
  await revoke(await startNode(), 'a');
  const late = await startNode();
  expect(await late.isRevoked(tokenOf('a', issuedAt))).toBe(true);
  expect(await late.isRevoked(tokenOf('b', issuedAt))).toBe(false);
  const before = reads;
  expect(late.isRevoked(tokenOf('b', issuedAt))).toBe(false);
  expect(reads).toBe(before);
});

it('are found in the account by a node that has lost messages', async () => {
  const one = await startNode();
  const deaf = await startNode();
  clock.advance(accessTokenMs * 2);
  const issuedAt = second();
  expect(deaf.isRevoked(tokenOf('a', issuedAt))).toBe(false);
  deaf.close();
  await revoke(one, 'a');
  expect(deaf.isRevoked(tokenOf('a', issuedAt))).toBe(false);
  lose();
  expect(await deaf.isRevoked(tokenOf('a', issuedAt))).toBe(true);
  expect(await deaf.isRevoked(tokenOf('b', issuedAt))).toBe(false);
});

it('need no store once all tokens of before the start have expired', async () => {
  const node = await startNode();
  clock.advance(accessTokenMs + 60_001);
  const before = reads;
  expect(node.isRevoked(tokenOf('a'))).toBe(false);
  expect(reads).toBe(before);
});
