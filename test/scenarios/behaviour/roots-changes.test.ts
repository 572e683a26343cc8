/** A server receives that the roots of a client have changed, and asks for the new ones. */
import { connect, createServer, type ServerOptions, serveHttp, tool } from 'tenon';
import { createHost } from 'tenon/host';
import type { RootsListChange } from 'tenon/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { inbox } from '../../kit/inbox.ts';
import { openAt } from '../../kit/transport/raw-connection.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const makeServer = (options: ServerOptions) =>
  createServer(
    {
      name: 'files',
      version: '1',
      tools: { roots: tool({}, async (_given, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join()) },
    },
    options,
  );

const sessions = sessionVersions;

describe.each(sessions)('roots/list_changed at %s', (revision) => {
  it.each(['in memory', 'over HTTP'])(
    'calls onRootsListChanged with the client, and listRoots gives the new roots, %s [S11]',
    async (where) => {
      const changes = inbox<RootsListChange>();
      const server = makeServer({ onRootsListChanged: changes.put });
      const service = where === 'in memory' ? undefined : await serveHttp(server, { port: 0 });
      onTestFinished(() => service?.close());
      let roots = [{ uri: 'file:///one' }];
      const options = { protocolVersions: [revision], handlers: { roots: () => roots } };
      await using client = await (service === undefined ? connect(server, options) : connect(service.url, options));
      expect(await client.tools.call('roots')).toMatchObject({ content: [{ text: 'file:///one' }] });
      roots = [{ uri: 'file:///two' }];
      client.sendRootsListChanged();
      const { caller, listRoots, sessionIdSuffix } = await changes.next();
      expect(caller).toMatchObject({ protocolVersion: revision, clientInfo: { name: 'tenon' } });
      expect(typeof sessionIdSuffix).toBe(where === 'in memory' ? 'undefined' : 'string');
      expect(await listRoots()).toEqual([{ uri: 'file:///two' }]);
      expect(await client.tools.call('roots')).toMatchObject({ content: [{ text: 'file:///two' }] });
    },
  );
});

it('a host notifies the servers whose protocol version has the notification, and skips the others [S11, S30]', async () => {
  const changes = inbox<RootsListChange>();
  const old = createServer(
    { name: 'old', version: '1', tools: {} },
    { protocolVersions: ['2025-11-25'], onRootsListChanged: changes.put },
  );
  const roots = () => [{ uri: 'file:///one' }];
  await using host = createHost({ servers: { files: makeServer({}), old }, roots, consent: 'allow-all' });
  expect((await host.tools.list()).errors).toEqual([]);
  host.sendRootsListChanged();
  expect((await changes.next()).caller.protocolVersion).toBe('2025-11-25');
});

const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };

it('a client that declared no roots starts no callback', async () => {
  let calls = 0;
  const { send, settled } = await openAt(makeServer({ onRootsListChanged: () => void calls++ }), '2025-11-25');
  send(notification);
  await settled();
  expect(calls).toBe(0);
});

it('many notifications start one callback at a time, and one more after it', async () => {
  const { promise: gate, resolve: open } = deferred();
  const ended = inbox<void>();
  let calls = 0;
  const server = makeServer({
    async onRootsListChanged() {
      calls++;
      await gate;
      ended.put();
    },
  });
  await using client = await connect(server, { protocolVersions: ['2025-11-25'], handlers: { roots: () => [] } });
  for (let n = 0; n < 100; n++) client.sendRootsListChanged();
  await client.ping();
  expect(calls).toBe(1);
  open();
  await ended.next();
  await ended.next();
  await client.ping();
  expect(calls).toBe(2);
});

it('a callback that throws is reported to onError, and the session continues', async () => {
  const errors = inbox<unknown>();
  const server = makeServer({
    onRootsListChanged() {
      throw new Error('no disk');
    },
    onError: (error, { method }) => errors.put([String(error), method]),
  });
  await using client = await connect(server, { protocolVersions: ['2025-11-25'], handlers: { roots: () => [] } });
  client.sendRootsListChanged();
  expect(await errors.next()).toEqual(['Error: no disk', 'notifications/roots/list_changed']);
  expect(await client.tools.call('roots')).toMatchObject({ content: [{ text: '' }] });
});
