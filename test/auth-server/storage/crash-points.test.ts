/** A node that dies before or after any operation of the store: the client repeats its refresh at the other node, and has lost nothing. */
import { type AuthorizationStore, createMemoryStore, type Store } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { type EngineNode, startEngineNode } from '../../kit/auth/engine-node.ts';

/** More than a refresh has. */
const maxOperations = 50;

/** The store of a node that dies: from its last operation on, none gets through. */
function dyingStore(store: Store & { readonly authorizations: AuthorizationStore }) {
  let left = Number.POSITIVE_INFINITY;
  let isDoneAtLast = false;
  const around =
    <Given extends readonly unknown[], Result>(operation: (...given: Given) => Result) =>
    async (...given: Given): Promise<Awaited<Result>> => {
      left--;
      if (left === 0 && isDoneAtLast) await operation(...given);
      if (left <= 0) throw new Error('The node is dead.');
      return await operation(...given);
    };
  const { read, readByAlias, write, delete: remove } = store.authorizations;
  return {
    /** The operation at which it dies, which takes effect or not. */
    dieAt(operation: number, isDone: boolean): void {
      left = operation;
      isDoneAtLast = isDone;
    },
    /** Whether it has died. */
    isDead: () => left <= 0,
    store: {
      ...store,
      authorizations: {
        read: around(read),
        readByAlias: around(readByAlias),
        write: around(write),
        delete: around(remove),
      },
    },
  };
}

async function start(store: Store): Promise<EngineNode> {
  const node = await startEngineNode({ store });
  onTestFinished(() => node.close());
  return node;
}

it.each([
  ['before', false],
  ['after', true],
] as const)('a refresh loses nothing if its node dies %s any operation of the store', async (_, isDone) => {
  const shared = createMemoryStore();
  const dying = dyingStore(shared);
  const [mortal, other] = [await start(dying.store), await start(shared)];
  let { body } = await other.exchange(await other.issueCode('github:1'));
  for (let operation = 1; ; operation++) {
    expect(operation).toBeLessThan(maxOperations);
    const token = body.refresh_token ?? '';
    dying.dieAt(operation, isDone);
    const answer = await mortal.refresh(token);
    const hasDied = dying.isDead();
    dying.dieAt(Number.POSITIVE_INFINITY, false);
    expect(answer.status >= 500).toBe(hasDied);
    const repeated = await other.refresh(token);
    expect([operation, repeated.status]).toEqual([operation, 200]);
    // Whatever the first attempt has come to, there is one response.
    expect(hasDied ? repeated : answer).toEqual(repeated);
    expect(await other.refresh(token)).toEqual(repeated);
    expect(await mortal.refresh(token)).toEqual(repeated);
    if (!hasDied) return;
    body = repeated.body;
  }
});
