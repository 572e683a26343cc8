/** Status and progress of tasks as notifications of sessions of 2025-11-25. */
import { describe, expect, it } from 'vitest';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { openClient, resultOf, taskServer } from './task-server.ts';

const related = 'io.modelcontextprotocol/related-task';

async function open(
  fixture = taskServer(),
  options: Parameters<typeof openClient>[1] = {},
  onRequest?: (request: Json) => Json,
) {
  const client = openClient(fixture.server, options, onRequest);
  const params = { ...(handshake('2025-11-25').params as Json), capabilities: { elicitation: {} } };
  await client.ask('initialize', params);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const start = async (name: string, more: Json = {}): Promise<string> => {
    const { task } = resultOf(await client.ask('tools/call', { name, arguments: {}, task: {}, ...more }));
    return (task as Json).taskId as string;
  };
  return { ...fixture, ...client, start };
}

describe('the session that created a task', () => {
  it('is notified of each change of its status, by the whole task, without related-task metadata [s-tasks-19, s-tasks-54]', async () => {
    const answer = { action: 'accept', content: { name: 'Ann' } };
    const { start, ask, notified } = await open(taskServer(), {}, () => answer);
    const taskId = await start('greet');
    expect(await notified()).toMatchObject({ params: { taskId, status: 'input_required' } });
    const shown = resultOf(await ask('tasks/get', { taskId }));
    await ask('tasks/result', { taskId });
    expect(await notified()).toMatchObject({ params: { taskId, status: 'working' } });
    const last = await notified();
    expect(last).toMatchObject({ method: 'notifications/tasks/status', params: { taskId, status: 'completed' } });
    expect(Object.keys(last.params as Json).sort()).toEqual(Object.keys(shown).sort());
    expect(last.params).not.toHaveProperty('_meta');
  });

  it('is notified of a cancellation, and of nothing after it [s-tasks-29, s-progress-11]', async () => {
    const { start, ask, notified, notifications, release } = await open();
    const taskId = await start('held', { _meta: { progressToken: 'p' } });
    expect(await notified()).toMatchObject({ method: 'notifications/progress' });
    await ask('tasks/cancel', { taskId });
    expect(await notified()).toMatchObject({ params: { taskId, status: 'cancelled' } });
    release();
    await ask('tasks/get', { taskId });
    expect(notifications).toEqual([]);
  });

  it('gets progress under the token of its call after it has the task, and each names the task [s-progress-09, s-progress-10]', async () => {
    const { start, notified, release } = await open();
    const taskId = await start('held', { _meta: { progressToken: 'p' } });
    expect(await notified()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 2, message: 'half', _meta: { [related]: { taskId } } },
    });
    release();
    expect(await notified()).toMatchObject({ params: { status: 'completed' } });
  });

  it('gets no progress without a token; the status has its text', async () => {
    const { start, ask, notified, release } = await open();
    const taskId = await start('held');
    for (;;) {
      const { statusMessage } = resultOf(await ask('tasks/get', { taskId }));
      if (statusMessage === 'half') break;
    }
    release();
    expect(await notified()).toMatchObject({ method: 'notifications/tasks/status', params: { status: 'completed' } });
  });
});

describe('other sessions', () => {
  it('learn nothing of a task, unless they ask about one of their own principal [s-tasks-74, s-tasks-79]', async () => {
    const fixture = taskServer();
    const ann = await open(fixture, { principal: 'ann' });
    const [asking, silent] = [await open(fixture, { principal: 'ann' }), await open(fixture, { principal: 'ann' })];
    const bob = await open(fixture, { principal: 'bob' });
    const taskId = await ann.start('held');
    await asking.ask('tasks/get', { taskId });
    await bob.ask('tasks/get', { taskId });
    fixture.release();
    expect(await ann.notified()).toMatchObject({ params: { taskId, status: 'completed' } });
    expect(await asking.notified()).toMatchObject({ params: { taskId, status: 'completed' } });
    for (const { ask, notifications } of [silent, bob]) {
      await ask('ping');
      expect(notifications).toEqual([]);
    }
  });
});
