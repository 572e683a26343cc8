/** Error codes and notifications of a server in exchanges. */
import { createServer, prompt, resource, type Server, tool } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { envelope, type Json, openAt, openRaw, request } from '../../kit/transport/raw-connection.ts';

const key = 'io.modelcontextprotocol/subscriptionId';

const makeServer = (): Server =>
  createServer({
    name: 's',
    version: '1',
    tools: { t: tool({}, () => 'x') },
    resources: { 'a://b': resource({}, () => 'b') },
    prompts: { p: prompt({ argsSchema: z.object({ who: z.string().max(5) }) }, ({ who }) => who) },
  });

describe('a request with wrong params', () => {
  it.each<[string, string, Json]>([
    ['an unknown tool', 'tools/call', { name: 'none' }],
    ['an unknown prompt', 'prompts/get', { name: 'none' }],
    ['a missing argument', 'prompts/get', { name: 'p' }],
    ['an invalid argument', 'prompts/get', { name: 'p', arguments: { who: 'unknown' } }],
    ['arguments that are not an object', 'tools/call', { name: 't', arguments: 5 }],
    ['an unknown cursor', 'tools/list', { cursor: 'mine' }],
    ['an unknown cursor, of resources', 'resources/list', { cursor: '' }],
    ['an unknown level', 'tools/list', { _meta: { 'io.modelcontextprotocol/logLevel': 'loud' } }],
  ])('is refused with -32602: %s [e-schema-07]', async (_, method, { _meta, ...params }) => {
    const { send, next } = openRaw(makeServer());
    send(request(1, method, envelope(params, _meta as Json | undefined)));
    expect(await next()).toMatchObject({ id: 1, error: { code: -32602 } });
  });
});

const listen = (id: unknown, notifications: Json): Json =>
  request(id, 'subscriptions/listen', envelope({ notifications }));

const touchAll = (server: Server): void => {
  server.update(({ tools, prompts, resources }) => {
    tools.more = tool({}, () => 'x');
    prompts.more = prompt({}, () => 'x');
    resources['a://more'] = resource({}, () => 'x');
  });
  for (const uri of ['a://b', 'a://c']) server.sendResourceUpdated(uri);
};

describe('a change notification', () => {
  const kinds: ReadonlyArray<readonly [filter: Json, method: string]> = [
    [{ toolsListChanged: true }, 'notifications/tools/list_changed'],
    [{ promptsListChanged: true }, 'notifications/prompts/list_changed'],
    [{ resourcesListChanged: true }, 'notifications/resources/list_changed'],
    [{ resourceSubscriptions: ['a://b'] }, 'notifications/resources/updated'],
  ];

  it.each(kinds)('is sent only where %j requested it [e-schema-25]', async (filter, method) => {
    const server = makeServer();
    const { ask, send, settled } = await openAt(server, '2026-07-28');
    const other = await openAt(server, '2026-07-28');
    send(listen('mine', filter));
    send(listen('idle', {}));
    send(ask(1, 'tools/call', { name: 't' }));
    await settled();
    touchAll(server);
    expect(await settled()).toMatchObject([{ method, params: { _meta: { [key]: 'mine' } } }]);
    expect(await other.settled()).toEqual([]);
  });

  it('is not sent without a subscription, nor after its cancellation [e-schema-25]', async () => {
    const server = makeServer();
    const { send, settled } = openRaw(server);
    send(listen(1, { toolsListChanged: true, resourceSubscriptions: ['a://b'] }));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: {} } });
    await settled();
    touchAll(server);
    expect(await settled()).toEqual([]);
  });
});

describe('a server that ends its subscriptions', () => {
  it('answers each listen request with a result that has its id, and cancels nothing else [e-schema-16, e-schema-26]', async () => {
    const started = deferred();
    const server = createServer(
      {
        name: 's',
        version: '1',
        tools: {
          slow: tool({}, (_given, { signal }) => {
            started.resolve();
            return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
          }),
          late: tool({ timeoutMs: 1 }, () => new Promise<string>(() => {})),
          requests: tool({}, async (_given, { listRoots: roots }) => String(await roots())),
        },
      },
      { onError() {} },
    );
    const [here, there] = createMemoryTransports();
    const connection = server.accept(there);
    const received: Json[] = [];
    const ended = deferred();
    const timedOut = deferred();
    here.open({
      onMessage(text) {
        const message = JSON.parse(text) as Json;
        received.push(message);
        if (message.id === 'late') timedOut.resolve();
      },
      onClose: () => ended.resolve(),
    });
    const send = (message: Json): void => here.send(JSON.stringify(message));
    for (const id of [7, '7', 'x']) send(listen(id, { toolsListChanged: true }));
    for (const name of ['slow', 'late']) send(request(name, 'tools/call', envelope({ name })));
    const able = { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } };
    send(request('requests', 'tools/call', envelope({ name: 'requests' }, able)));
    await Promise.all([started.promise, timedOut.promise]);
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    connection.close();
    await ended.promise;
    const closing = received.filter(({ id, result }) => [7, '7', 'x'].includes(id as string) && result !== undefined);
    expect(closing.map(({ id }) => id)).toEqual([7, '7', 'x']);
    for (const { id, result } of closing)
      expect(result).toMatchObject({ resultType: 'complete', _meta: { [key]: id } });
    const cancellations = received.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancellations.map(({ params }) => (params as Json).requestId)).toEqual([7, '7', 'x']);
  });
});
