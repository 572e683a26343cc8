/** Several subscriptions on one connection: each gets its own changes under its own id. */
import { connect, createServer, resource, tool } from 'tenon';
import { expect, it } from 'vitest';
import { envelope, type Json, openRaw, request } from '../../kit/transport/raw-connection.ts';

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

const serve = () =>
  createServer({
    name: 's',
    version: '1',
    tools: { a: tool({}, () => 'x') },
    resources: { 'a://b': resource({}, () => 'x') },
  });

const idAndMethod = ({ method, params }: Json): unknown[] => [
  ((params as Json)._meta as Json)[subscriptionId],
  String(method).replace('notifications/', ''),
];

it('each of several subscriptions gets the changes it requested, in order, after its acknowledgment [e-subscriptions-04, e-subscriptions-09]', async () => {
  const server = serve();
  const { send, settled } = openRaw(server);
  const listen = (id: unknown, notifications: Json): void =>
    send(request(id, 'subscriptions/listen', envelope({ notifications })));
  listen('tools', { toolsListChanged: true });
  await settled();
  server.update(({ tools }) => void (tools.b = tool({}, () => 'x')));
  listen(7, { toolsListChanged: true, resourceSubscriptions: ['a://b'] });
  const early = await settled();
  server.sendResourceUpdated('a://b');
  server.update(({ tools }) => void delete tools.b);
  const late = await settled();
  expect([...early, ...late].map(idAndMethod)).toEqual([
    ['tools', 'tools/list_changed'],
    [7, 'subscriptions/acknowledged'],
    [7, 'resources/updated'],
    ['tools', 'tools/list_changed'],
    [7, 'tools/list_changed'],
  ]);
});

it('a new connection gets no changes until it subscribes: the server stores nothing of the one before', async () => {
  const server = serve();
  const first = await connect(server, { protocolVersions: ['2026-07-28'] });
  await first.subscribe({ toolsListChanged: true });
  await first.close();
  const { send, settled } = openRaw(server);
  server.update(({ tools }) => void (tools.b = tool({}, () => 'x')));
  expect(await settled()).toEqual([]);
  send(request(1, 'subscriptions/listen', envelope({ notifications: { toolsListChanged: true } })));
  await settled();
  server.update(({ tools }) => void delete tools.b);
  expect((await settled()).map(idAndMethod)).toEqual([[1, 'tools/list_changed']]);
});
