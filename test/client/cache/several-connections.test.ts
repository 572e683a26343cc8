/** What is kept of lists over more than one connection, and by more than one client. */

import { createServer, type ProtocolVersion, protocolVersions, tool } from 'tenon';
import { createSharedCache } from 'tenon/client';
import { describe, expect, it } from 'vitest';
import { reconnectable } from '../../kit/client/reconnectable-server.ts';
import { deferred } from '../../kit/deferred.ts';

const listing = (scope: 'public' | 'private' = 'private') =>
  createServer({ name: 's', version: '1', cache: { ttlMs: 60_000, scope }, tools: { a: tool({}, () => 'a') } });

describe.each(protocolVersions)('A new connection at %s', (revision) => {
  it('makes all that is kept stale; what is equal stays the same object', async () => {
    const { client: make, cut } = reconnectable(listing());
    const client = make({ protocolVersions: [revision], cache: { ttlMs: 60_000 } });
    const [before] = await client.tools.list().all();
    await client.tools.list().all();
    expect(client.cache.stats()).toMatchObject({ hits: 1, misses: 1 });
    const again = deferred();
    client.connection.on('state', ({ to }) => to === 'ready' && again.resolve());
    cut();
    await again.promise;
    expect((await client.tools.list().all())[0]).toBe(before);
    expect(client.cache.stats()).toMatchObject({ hits: 1, misses: 2, unchanged: 1 });
    await client.close();
  });
});

describe('A cache that several clients share', () => {
  const revisions: ProtocolVersion[] = ['2026-07-28'];
  const address = 'https://s.example/mcp';

  it('gives all of them what is public [e-caching-17]', async () => {
    const cache = { shared: createSharedCache() };
    const { client: make } = reconnectable(listing('public'), address);
    const one = make({ protocolVersions: revisions, cache });
    const other = make({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    await other.connection.ready();
    expect((await other.tools.list().all()).map(({ name }) => name)).toEqual(['a']);
    expect(other.cache.stats()).toMatchObject({ hits: 1, misses: 0 });
    await Promise.all([one.close(), other.close()]);
  });

  it('gives nobody else what is private [e-caching-18, e-caching-19]', async () => {
    const cache = { shared: createSharedCache() };
    const { client: make } = reconnectable(listing('private'), address);
    const one = make({ protocolVersions: revisions, cache });
    const other = make({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    await one.tools.list().all();
    await other.connection.ready();
    await other.tools.list().all();
    expect([one.cache.stats(), other.cache.stats()]).toMatchObject([
      { hits: 1, misses: 1 },
      { hits: 0, misses: 1 },
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  it.each([
    ['by another address', 'https://other.example/mcp', {}],
    ['by no address that others could know', undefined, {}],
    ['who can do something else', address, { handlers: { roots: [] } }],
  ])('gives nothing to a client that comes %s', async (_which, itsAddress, more) => {
    const cache = { shared: createSharedCache() };
    const one = reconnectable(listing('public'), address).client({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    const other = reconnectable(listing('public'), itsAddress).client({ protocolVersions: revisions, cache, ...more });
    await other.connection.ready();
    await other.tools.list().all();
    expect(other.cache.stats()).toMatchObject({ hits: 0, misses: 1 });
    await Promise.all([one.close(), other.close()]);
  });

  it('is stale for all of them by the news that one hears', async () => {
    const cache = { shared: createSharedCache() };
    const server = listing('public');
    const { client: make } = reconnectable(server, address);
    const one = make({ protocolVersions: revisions, cache });
    const other = make({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    await other.connection.ready();
    const changes = await one.subscribe({ toolsListChanged: true });
    server.update((draft) => {
      draft.tools.b = tool({}, () => 'b');
    });
    await changes[Symbol.asyncIterator]().next();
    expect((await other.tools.list().all()).map(({ name }) => name)).toEqual(['a', 'b']);
    await Promise.all([one.close(), other.close()]);
  });
});
