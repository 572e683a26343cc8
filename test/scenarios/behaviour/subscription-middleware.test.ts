import { type Client, connect, createServer, type ProtocolVersion, resource, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { openAt } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const sessions = sessionVersions;

const serve = (...middleware: Middleware[]) =>
  createServer(
    {
      name: 'guarded',
      version: '1',
      tools: { look: tool({}, () => 'x') },
      resources: { 'a://open': resource({}, () => 'x'), 'a://secret': resource({}, () => 'x') },
    },
    { middleware, onError: () => {} },
  );

const noSecrets: Middleware = ({ method, target }, next) => {
  const watches = method === 'resources/subscribe' || method === 'subscriptions/listen';
  if (watches && target.includes('secret')) throw rpcError('permission-denied', 'not for you');
  return next();
};

async function receives(client: Client, uri: string, server: ReturnType<typeof serve>): Promise<unknown> {
  await using changes = await client.subscribe({ resourceSubscriptions: [uri] });
  server.sendResourceUpdated('a://secret');
  server.sendResourceUpdated(uri);
  return (await changes[Symbol.asyncIterator]().next()).value;
}

describe.each(protocolVersions)('watching behind middleware at %s', (revision) => {
  it('is refused with the error of the middleware, and no changes of refused resources are sent', async () => {
    const server = serve(noSecrets);
    await using client = await connect(server, { protocolVersions: [revision] });
    await expect(client.subscribe({ resourceSubscriptions: ['a://secret'] })).rejects.toMatchObject({
      reason: 'permission-denied',
    });
    expect(await receives(client, 'a://open', server)).toEqual({ type: 'resource', uri: 'a://open' });
  });

  it('works with asynchronous middleware', async () => {
    const server = serve(noSecrets, async (_call, next) => {
      await Promise.resolve();
      return next();
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    expect(await receives(client, 'a://open', server)).toEqual({ type: 'resource', uri: 'a://open' });
  });

  it('does not start when it is cancelled inside the middleware', async () => {
    const [arrived, go, acted] = [deferred(), deferred(), deferred()];
    const server = serve(async ({ method }, next) => {
      if (method !== 'resources/subscribe' && method !== 'subscriptions/listen') return next();
      arrived.resolve();
      await go.promise;
      return next().finally(() => acted.resolve());
    });
    const { ask, send, settled, exchange } = await openAt(server, revision);
    const filter = { notifications: { resourceSubscriptions: ['a://open'] } };
    send(exchange ? ask(1, 'subscriptions/listen', filter) : ask(1, 'resources/subscribe', { uri: 'a://open' }));
    await arrived.promise;
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await settled();
    go.resolve();
    await acted.promise;
    server.sendResourceUpdated('a://open');
    expect(await settled()).toEqual([]);
  });
});

describe.each(sessions)('requests that change a session, behind middleware at %s', (revision) => {
  it('pass through with method and target', async () => {
    const seen: string[] = [];
    const server = serve(({ method, target, ctx: context }, next) => {
      seen.push(`${method} ${target} ${context.caller.protocolVersion}`);
      return next();
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    await client.setLogLevel('error');
    const changes = await client.subscribe({ resourceSubscriptions: ['a://open'] });
    await changes.close();
    expect(seen).toEqual([
      `logging/setLevel error ${revision}`,
      `resources/subscribe a://open ${revision}`,
      `resources/unsubscribe a://open ${revision}`,
    ]);
  });
});

describe('a listen request behind middleware', () => {
  const revision: ProtocolVersion = '2026-07-28';

  it('passes through with its filter, and code after next() runs when it ends', async () => {
    const seen: string[] = [];
    const over = deferred();
    const server = serve(async ({ method, target, params }, next) => {
      seen.push(`${method} ${target} ${JSON.stringify(params.notifications)}`);
      const settled = await next();
      seen.push('over');
      over.resolve();
      return settled;
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    const changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://open'] });
    const filter = JSON.stringify({ toolsListChanged: true, resourceSubscriptions: ['a://open'] });
    expect(seen).toEqual([`subscriptions/listen ${filter} ${filter}`]);
    await changes.close();
    await over.promise;
    expect(seen).toHaveLength(2);
  });

  it('does not count as a concurrent call', async () => {
    const server = createServer(
      { name: 'small', version: '1', tools: { look: tool({}, () => 'seen') } },
      { limits: { maxConcurrentCalls: 1 } },
    );
    await using client = await connect(server, { protocolVersions: [revision] });
    await using _one = await client.subscribe({ toolsListChanged: true });
    await using _two = await client.subscribe({ toolsListChanged: true });
    expect((await client.tools.call('look')).content).toEqual([{ type: 'text', text: 'seen' }]);
  });
});
