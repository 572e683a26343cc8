/** Tasks in subscriptions of 2026-07-28: `taskIds` of `subscriptions/listen`, and `notifications/tasks`. */
import type { Server } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf, taskServer } from './task-server.ts';

const extension = 'io.modelcontextprotocol/tasks';
const subscription = 'io.modelcontextprotocol/subscriptionId';

function open(
  fixture: { readonly server: Server } & Omit<ReturnType<typeof taskServer>, 'server'> = taskServer(),
  options: Parameters<typeof openClient>[1] = {},
  declares = true,
) {
  const client = openClient(fixture.server, options);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      ...(declares && { extensions: { [extension]: {} } }),
    },
  };
  const ask = (method: string, params: Json = {}): Promise<Json> => client.ask(method, { ...params, _meta });
  const start = async (name: string, given: Json = {}): Promise<string> =>
    resultOf(await ask('tools/call', { name, arguments: given })).taskId as string;
  const listen = (taskIds: readonly string[], id = 'listen'): void =>
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications: { taskIds }, _meta },
    });
  return { ...fixture, ...client, ask, start, listen, _meta };
}

const acknowledged = (taskIds: readonly string[]): Json => ({
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: { taskIds }, _meta: { [subscription]: 'listen' } },
});

describe('a subscription with taskIds', () => {
  it('is acknowledged with the tasks it follows; unknown tasks and those of others are left out alike [ext-tasks-47, ext-tasks-48, ext-tasks-65]', async () => {
    const fixture = taskServer();
    const ann = open(fixture, { principal: 'ann' });
    const bob = open(fixture, { principal: 'bob' });
    const [own, foreign] = [await ann.start('held'), await bob.start('held')];
    ann.listen([own, foreign, 'none', own]);
    expect(await ann.notified()).toMatchObject(acknowledged([own]));
    fixture.release();
    expect(await ann.notified()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId: own, status: 'completed', _meta: { [subscription]: 'listen' } },
    });
  });

  it('sends each task as tasks/get would return it, whenever its status or its open requests change [ext-tasks-50]', async () => {
    const { start, ask, listen, notified } = open();
    const taskId = await start('greet');
    listen([taskId]);
    expect(await notified()).toMatchObject(acknowledged([taskId]));
    const { _meta: _0, ...waiting } = (await notified()).params as Json;
    expect(waiting).toMatchObject({ taskId, status: 'input_required', inputRequests: expect.anything() });
    const { _meta: _1, resultType: _2, ...got } = resultOf(await ask('tasks/get', { taskId }));
    expect(waiting).toEqual({ ...got, ttlMs: expect.any(Number) });
    const [key = ''] = Object.keys(waiting.inputRequests as Json);
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann' } } };
    await ask('tasks/update', { taskId, inputResponses });
    expect((await notified()).params).toMatchObject({ taskId, status: 'working' });
    const { _meta: _3, ...last } = (await notified()).params as Json;
    const { _meta: _4, resultType: _5, ...end } = resultOf(await ask('tasks/get', { taskId }));
    expect(last).toEqual(end);
    expect(last).toMatchObject({ status: 'completed', result: { content: [{ text: 'Hello, Ann' }] } });
  });

  it('begins with tasks that are over already, so that their client need not ask', async () => {
    const { start, ask, listen, notified } = open();
    const taskId = await start('report', { n: 1 });
    while (resultOf(await ask('tasks/get', { taskId })).status === 'working');
    listen([taskId]);
    expect(await notified()).toMatchObject(acknowledged([taskId]));
    expect((await notified()).params).toMatchObject({ taskId, status: 'completed' });
  });

  it('of a client that did not declare the extension gets -32021 with its name [ext-tasks-49, ext-tasks-57]', async () => {
    const { ask } = open(taskServer(), {}, false);
    const { error } = await ask('subscriptions/listen', { notifications: { taskIds: ['x'] } });
    expect(error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension]: {} } } },
    });
  });

  it('sends no progress and no log messages of tasks [ext-tasks-52]', async () => {
    const { start, listen, notified, release } = open();
    const taskId = await start('held');
    listen([taskId]);
    expect(await notified()).toMatchObject(acknowledged([taskId]));
    release();
    expect(await notified()).toMatchObject({ method: 'notifications/tasks', params: { status: 'completed' } });
  });

  it('sends nothing more once it is cancelled', async () => {
    const { start, ask, listen, notified, notifications, release, send, _meta } = open();
    const taskId = await start('held');
    listen([taskId]);
    expect(await notified()).toMatchObject(acknowledged([taskId]));
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'listen', _meta } });
    release();
    while (resultOf(await ask('tasks/get', { taskId })).status === 'working');
    expect(notifications).toEqual([]);
  });

  it('with more than 1000 of them is refused', async () => {
    const { ask } = open();
    const taskIds = Array.from({ length: 1001 }, (_, n) => `t${n}`);
    const refused = await ask('subscriptions/listen', { notifications: { taskIds } });
    expect(codeOf(refused)).toBeTypeOf('number');
    expect((refused.error as Json).message).toContain('1000 taskIds');
  });
});

describe('a subscription at a server without tasks', () => {
  it('is acknowledged without taskIds', async () => {
    const { createServer, tool } = await import('tenon');
    const server = createServer({ name: 'plain', version: '1', tools: { plain: tool({}, () => 'at once') } });
    const { listen, notified } = open({ ...taskServer(), server });
    listen(['x']);
    const { params } = await notified();
    expect((params as Json).notifications).toEqual({});
  });
});
