/** The credentials of a principal at an upstream are read by no other pair. */
import { array, assert, asyncProperty, constant, constantFrom, oneof, record, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scopedCredentials } from '../../../src/gateway/credentials/scoped-credentials.ts';
import { memoryCredentials } from '../../../src/store/parts/memory-credentials.ts';
import { scaled } from '../../kit/long.ts';

/** Names that look like parts of keys, so that a way to join them without quotes would fail. */
const name = oneof(
  constantFrom('ada', 'bob', 'a', 'b', '', '","', '["', 'a","b', '["client","https://i"]', '["a","b"]'),
  string({ maxLength: 6 }),
);
const key = oneof(
  name,
  tuple(constantFrom('tokens', 'server', 'sign-ins', 'client', 'quirks'), name).map((parts) => JSON.stringify(parts)),
  constant(JSON.stringify(['servers'])),
);
const operation = record({ principal: name, upstream: name, key, does: constantFrom('write', 'read', 'delete') });

/** What a record about the authorization server is: principals of an upstream have it together. */
const isShared = (text: string): boolean => {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.length === 2 && ['client', 'quirks'].includes(parts[0]);
  } catch {
    return false;
  }
};

/** What a test writes: whose it is. */
interface Written {
  readonly principal: string;
  readonly upstream: string;
  readonly key: string;
}

const mayRead = (reader: Written, found: Written | undefined): boolean =>
  found === undefined ||
  (found.upstream === reader.upstream &&
    found.key === reader.key &&
    (isShared(found.key) || found.principal === reader.principal));

describe('Scoped credentials', () => {
  it('no read returns what another principal or another upstream wrote', async () => {
    const runs = asyncProperty(array(operation, { maxLength: 60 }), async (operations) => {
      const store = memoryCredentials();
      for (const { principal, upstream, key: own, does } of operations) {
        const scoped = scopedCredentials(store, { principal, upstream });
        const found = await scoped.read(own);
        if (!mayRead({ principal, upstream, key: own }, found?.value as Written | undefined)) return false;
        if (does === 'write') await scoped.swap(own, found?.version, { principal, upstream, key: own });
        if (does === 'delete') await scoped.swap(own, found?.version, undefined);
        const after = await scoped.read(own);
        if ((does === 'write') !== (after?.value !== undefined) && does !== 'read') return false;
      }
      return true;
    });
    await expect(assert(runs, { numRuns: scaled(300, 20_000) })).resolves.toBeUndefined();
  });

  it('a pair reads what it wrote, and principals of an upstream have its registered client together', async () => {
    const store = memoryCredentials();
    const [ada, bob] = ['ada', 'bob'].map((principal) => scopedCredentials(store, { principal, upstream: 'github' }));
    const other = scopedCredentials(store, { principal: 'ada', upstream: 'files' });
    await ada?.swap('["client","https://i.example"]', undefined, { clientId: 'c' });
    await ada?.swap('["tokens","https://i.example","r"]', undefined, { accessToken: 't' });
    expect((await ada?.read('["tokens","https://i.example","r"]'))?.value).toEqual({ accessToken: 't' });
    expect((await bob?.read('["client","https://i.example"]'))?.value).toEqual({ clientId: 'c' });
    expect(await bob?.read('["tokens","https://i.example","r"]')).toBeUndefined();
    expect(await other.read('["client","https://i.example"]')).toBeUndefined();
  });

  it('a lock of one pair does not hold back another', async () => {
    const store = memoryCredentials();
    const release = await scopedCredentials(store, { principal: 'ada', upstream: 'github' }).lock('key');
    const other = await scopedCredentials(store, { principal: 'bob', upstream: 'github' }).lock('key');
    await expect(Promise.all([release(), other()])).resolves.toHaveLength(2);
  });
});
