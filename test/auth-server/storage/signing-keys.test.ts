/** Signing keys: made once for all nodes, published before they sign, and until the tokens of the one before have expired. */
import { createMemoryStore } from 'tenon/store';
import { beforeEach, expect, it } from 'vitest';
import { publishedKeyMs, signingKeyMs } from '../../../src/auth-server/options.ts';
import { sealedRows } from '../../../src/auth-server/storage/sealed-rows.ts';
import {
  type CurrentKeys,
  createSigningKeys,
  type SigningKeySettings,
} from '../../../src/auth-server/storage/signing-keys.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../src/lib/time/fake-clock.ts';
import { issuer, textSeals } from '../../kit/auth/engine-node.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0);

let clock: FakeClock;
let store: ReturnType<typeof createMemoryStore>;
beforeEach(() => {
  clock = createFakeClock();
  store = createMemoryStore();
});

const rows = (secrets = ['the secret of the server, long enough']) =>
  sealedRows(store.authorizations, issuer, textSeals(secrets));

async function startNode(more: Partial<SigningKeySettings> = {}) {
  const changes: CurrentKeys[] = [];
  const errors: unknown[] = [];
  const keys = await createSigningKeys({
    rows: rows(),
    schedule: { signingKeyMs, publishedKeyMs, tokenMs: 600_000 },
    now: () => start + clock.now(),
    deadlines: createDeadlines(clock),
    onChange: (current) => changes.push(current),
    onError: (error) => errors.push(error),
    ...more,
  });
  return { keys, changes, errors };
}

/** Lets the nodes look at the store at least once a day. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= day) {
    clock.advance(Math.min(left, day));
    await settled();
  }
}

/** What a look does without making a key takes turns of the event loop alone. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** A key pair is made in a thread. */
async function changed(nodes: readonly { readonly changes: unknown[] }[], times: number): Promise<void> {
  await expect.poll(() => nodes.map(({ changes }) => changes.length)).toEqual(nodes.map(() => times));
}

const published = ({ keys }: CurrentKeys): (string | undefined)[] => keys.map(({ kid }) => kid);

it('are the same on nodes that start at the same moment, and after a restart', async () => {
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const [first] = nodes.map(({ keys }) => keys.current());
  for (const { keys } of [...nodes, await startNode()]) expect(keys.current()).toEqual(first);
  expect(first?.keys).toMatchObject([{ kty: 'EC', alg: 'ES256', use: 'sig', kid: first?.kid }]);
  expect(first?.keys[0]?.d).toBeTypeOf('string');
});

it('are renewed without a restart: published a day before, then signing, and forgotten once tokens have expired', async () => {
  const nodes = [await startNode(), await startNode()] as const;
  const old = nodes[0].keys.current().kid;
  await pass(signingKeyMs - publishedKeyMs - 1);
  await changed(nodes, 0);

  // The one that is first makes it, the other finds it an hour later.
  await pass(1);
  await expect.poll(() => nodes.some(({ changes }) => changes.length === 1)).toBe(true);
  await pass(3_600_000);
  await changed(nodes, 1);
  const [, next] = published(nodes[0].keys.current());
  for (const { keys } of nodes) {
    expect(keys.current().kid).toBe(old);
    expect(published(keys.current())).toEqual([old, next]);
  }

  await pass(publishedKeyMs);
  await changed(nodes, 2);
  for (const { keys } of nodes) {
    expect(keys.current().kid).toBe(next);
    expect(published(keys.current())).toEqual([next, old]);
  }

  await pass(3 * 3_600_000);
  await changed(nodes, 3);
  for (const { keys, errors } of nodes) {
    expect(published(keys.current())).toEqual([next]);
    expect(errors).toEqual([]);
  }
});

it('are published a day before they sign also after a long time without a node', async () => {
  const first = await startNode();
  const old = first.keys.current().kid;
  first.keys.close();
  await pass(200 * day);
  const late = await startNode();
  expect(late.keys.current().kid).toBe(old);
  expect(published(late.keys.current())).toHaveLength(2);
  await pass(publishedKeyMs);
  await changed([late], 1);
  expect(late.keys.current().kid).not.toBe(old);
});

it('go on while the store fails, and follow it afterwards', async () => {
  let isDown = false;
  const real = rows();
  const flaky = {
    ...real,
    read: async <Value>(kind: string, id: string) => {
      if (isDown) throw new Error('away');
      return real.read<Value>(kind, id);
    },
  };
  const [one, other] = [await startNode({ rows: flaky }), await startNode()];
  const old = one.keys.current().kid;
  isDown = true;
  await pass(signingKeyMs - publishedKeyMs);
  await changed([other], 1);
  await pass(publishedKeyMs);
  await changed([other], 2);
  expect([one.keys.current().kid, other.keys.current().kid === old]).toEqual([old, false]);
  expect(one.errors.length).toBeGreaterThan(0);
  isDown = false;
  await pass(day);
  await expect.poll(() => one.keys.current().kid).toBe(other.keys.current().kid);
});

it('are refused by name where none of the secrets has sealed them, and sealed anew at a start with a newer one', async () => {
  const [older, newer] = ['an older secret of the server, long', 'a newer secret of the server, long'];
  const { keys } = await startNode({ rows: rows([older]) });
  await expect(startNode({ rows: rows([newer]) })).rejects.toMatchObject({
    code: 'store-key-missing',
    hint: expect.stringContaining('secrets of authorizationServer()'),
  });
  const rotated = await startNode({ rows: rows([newer, older]) });
  expect(rotated.keys.current()).toEqual(keys.current());
  const after = await startNode({ rows: rows([newer]) });
  expect(after.keys.current()).toEqual(keys.current());
});

it('look no more once they are closed, and leave no timer', async () => {
  const { keys, changes } = await startNode();
  keys.close();
  await pass(signingKeyMs);
  expect(changes).toEqual([]);
  expect(clock.pending).toBe(0);
});
