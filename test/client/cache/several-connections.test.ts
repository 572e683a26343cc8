/** The cache of lists across several connections and several clients. */
import { createServer, type ProtocolVersion, tool } from 'tenon';
import { createSharedCache } from 'tenon/client';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { reconnectable } from '../../kit/client/reconnectable-server.ts';
import { deferred } from '../../kit/deferred.ts';

const listing = (scope: 'public' | 'private' = 'private') =>
  createServer({ name: 's', version: '1', cache: { ttlMs: 60_000, scope }, tools: { a: tool({}, () => 'a') } });

describe.each(protocolVersions)('A new connection at %s', (revision) => {
  it('invalidates the cache; equal entries stay the same object', async () => {
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
  const url = 'https://s.example/mcp';

  it('serves public entries to all of them [e-caching-17]', async () => {
    const cache = { shared: createSharedCache() };
    const { client: make } = reconnectable(listing('public'), url);
    const one = make({ protocolVersions: revisions, cache });
    const other = make({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    await other.connection.ready();
    expect((await other.tools.list().all()).map(({ name }) => name)).toEqual(['a']);
    expect(other.cache.stats()).toMatchObject({ hits: 1, misses: 0 });
    await Promise.all([one.close(), other.close()]);
  });

  it('serves private entries to one client only [e-caching-18, e-caching-19]', async () => {
    const cache = { shared: createSharedCache() };
    const { client: make } = reconnectable(listing('private'), url);
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
    ['with another URL', 'https://other.example/mcp', {}],
    ['without a URL', undefined, {}],
    ['with other capabilities', url, { handlers: { roots: [] } }],
  ])('serves nothing to a client %s', async (_which, otherUrl, more) => {
    const cache = { shared: createSharedCache() };
    const one = reconnectable(listing('public'), url).client({ protocolVersions: revisions, cache });
    await one.tools.list().all();
    const other = reconnectable(listing('public'), otherUrl).client({ protocolVersions: revisions, cache, ...more });
    await other.connection.ready();
    await other.tools.list().all();
    expect(other.cache.stats()).toMatchObject({ hits: 0, misses: 1 });
    await Promise.all([one.close(), other.close()]);
  });

  it('is invalidated for all of them by a notification to one', async () => {
    const cache = { shared: createSharedCache() };
    const server = listing('public');
    const { client: make } = reconnectable(server, url);
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
