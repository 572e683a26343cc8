/** A client of 2025-11-25 runs requests of the server as tasks, as messages on the wire. */
import { RpcError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../../kit/fixed-limits.ts';
import type { Json } from '../../../kit/transport/raw-connection.ts';
import { errorOf, resultOf, taskingServer } from './tasking-server.ts';

const related = 'io.modelcontextprotocol/related-task';
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const accept = { action: 'accept', content: { name: 'Ann' } } as const;
const sampled = { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' } as const;

describe('a client that runs requests as tasks', () => {
  it('declares which, and that they can be listed and cancelled [s-tasks-01, s-tasks-05]', async () => {
    const { declared } = await taskingServer({ sample: () => sampled });
    expect(declared.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { elicitation: { create: {} }, sampling: { createMessage: {} } },
    });
  });

  it('declares nothing for requests without a handler, and runs them as it would without `task` [s-tasks-04, s-tasks-22]', async () => {
    const { declared, ask } = await taskingServer();
    expect((declared.tasks as Json).requests).toEqual({ elicitation: { create: {} } });
    const params = { messages: [], maxTokens: 1, task: {} };
    expect(errorOf(await ask('sampling/createMessage', params))).toMatchObject({
      message: expect.stringContaining('sampling'),
    });
  });

  it('answers at once with a task that is working, under an id of its own [s-tasks-24, s-tasks-25, s-tasks-26, s-tasks-27, s-tasks-36, s-tasks-37, s-tasks-41, s-tasks-42, s-tasks-43, s-tasks-76]', async () => {
    const { start, shown } = await taskingServer();
    const one = await start();
    const two = await start();
    expect(one).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: 'working',
      createdAt: isoDate,
      lastUpdatedAt: isoDate,
      ttl: 3_600_000,
      pollInterval: 2000,
    });
    expect(two.taskId).not.toBe(one.taskId);
    expect((await shown()).request).not.toHaveProperty('task');
  });

  it('answers tasks/result with what the plain request would have got, and names the task [s-tasks-44, s-tasks-46, s-tasks-47, s-tasks-53, s-tasks-73]', async () => {
    const { start, elicit, ask, shown } = await taskingServer();
    const { taskId } = await start();
    (await shown()).reply(accept);
    const plain = elicit();
    (await shown()).reply(accept);
    const result = resultOf(await ask('tasks/result', { taskId }));
    expect(result).toEqual({ ...resultOf(await plain), _meta: { [related]: { taskId } } });
    const got = resultOf(await ask('tasks/get', { taskId }));
    expect(got).toMatchObject({ taskId, status: 'completed' });
    expect(got).not.toHaveProperty('_meta');
  });

  it('runs sampling as a task too', async () => {
    const { ask } = await taskingServer({ sample: () => sampled });
    const params = { messages: [], maxTokens: 1, task: { ttl: 5000 } };
    const { task } = resultOf(await ask('sampling/createMessage', params)) as { task: Json };
    expect(resultOf(await ask('tasks/result', { taskId: task.taskId }))).toMatchObject(sampled);
  });

  it('lets tasks/result wait until the task is over, and sends its status then [s-tasks-19, s-tasks-45, s-tasks-54]', async () => {
    const { start, ask, shown, notifications, settled } = await taskingServer();
    const { taskId } = await start();
    const waiting = ask('tasks/result', { taskId });
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('working');
    (await shown()).reply({ action: 'decline' });
    expect(resultOf(await waiting)).toMatchObject({ action: 'decline' });
    await settled();
    const statuses = notifications.filter(({ method }) => method === 'notifications/tasks/status');
    expect(statuses.map(({ params }) => params)).toEqual([
      { taskId, status: 'completed', createdAt: isoDate, lastUpdatedAt: isoDate, ttl: 3_600_000, pollInterval: 2000 },
    ]);
  });

  it('shows a task whose handler throws as failed and why, and the result is the error of the plain request [s-tasks-70, s-tasks-72, s-tasks-67]', async () => {
    const { start, elicit, ask, shown, warnings } = await taskingServer();
    const { taskId } = await start();
    (await shown()).fail(new RpcError(-32001, 'The user is away', { until: 'noon' }));
    const plain = elicit();
    (await shown()).fail(new RpcError(-32001, 'The user is away', { until: 'noon' }));
    expect(errorOf(await ask('tasks/result', { taskId }))).toEqual(errorOf(await plain));
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({
      status: 'failed',
      statusMessage: 'The user is away',
    });
    const { taskId: broken } = await start();
    (await shown()).fail(new Error('private'));
    expect(errorOf(await ask('tasks/result', { taskId: broken }))).toEqual({
      code: -32603,
      message: 'The client failed to answer the request',
    });
    expect(warnings).toMatchObject([{ code: 'server-request-failed' }]);
  });

  it('cancels a task before it answers, and aborts its handler; nothing changes it afterwards [s-tasks-28, s-tasks-29, s-tasks-59, s-tasks-60, s-tasks-61, s-tasks-62]', async () => {
    const { start, ask, shown, settled } = await taskingServer();
    const { taskId } = await start();
    const { context, reply } = await shown();
    expect(resultOf(await ask('tasks/cancel', { taskId }))).toMatchObject({ taskId, status: 'cancelled' });
    expect(context.signal.aborted).toBe(true);
    reply(accept);
    await settled();
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('cancelled');
    expect(errorOf(await ask('tasks/cancel', { taskId })).code).toBe(-32602);
    expect(errorOf(await ask('tasks/result', { taskId })).message).toContain('cancelled by the server');
  });

  it('answers unknown tasks and invalid cursors with -32602, and says why [s-tasks-65, s-tasks-66, s-tasks-69]', async () => {
    const { ask } = await taskingServer();
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(errorOf(await ask(method, { taskId: 'none' }))).toMatchObject({
        code: -32602,
        message: expect.stringContaining('no such task'),
      });
    expect(errorOf(await ask('tasks/list', { cursor: 'x' }))).toMatchObject({ code: -32602 });
  });

  it('lists its tasks page by page [s-tasks-55, s-tasks-56, s-tasks-58, s-tasks-80]', async () => {
    const { start, ask } = await taskingServer();
    const made: unknown[] = [];
    for (let n = 0; n < 60; n++) made.push((await start()).taskId);
    const first = resultOf(await ask('tasks/list')) as { tasks: Json[]; nextCursor: string };
    const second = resultOf(await ask('tasks/list', { cursor: first.nextCursor })) as { tasks: Json[] };
    const ids = [...first.tasks, ...second.tasks].map(({ taskId }) => taskId);
    expect([first.tasks.length, second.tasks.length, ids]).toEqual([50, 10, made]);
    expect(second).not.toHaveProperty('nextCursor');
    expect(second).not.toHaveProperty('_meta');
  });

  it('takes the id in the params, whatever related task the request names [s-tasks-49, s-tasks-51]', async () => {
    const { start, ask } = await taskingServer();
    const { taskId } = await start();
    const _meta = { [related]: { taskId: 'another' } };
    expect(resultOf(await ask('tasks/get', { taskId, _meta }))).toMatchObject({ taskId });
    expect(resultOf(await ask('tasks/cancel', { taskId, _meta }))).toMatchObject({ taskId });
    expect(errorOf(await ask('tasks/result', { taskId, _meta }))).toMatchObject({ data: { taskId } });
  });

  it('sends progress under the token of the request while the task runs', async () => {
    const { start, shown, notifications, settled } = await taskingServer();
    await start({}, { _meta: { progressToken: 'p' } });
    const { context, reply } = await shown();
    context.reportProgress(1, 2);
    reply(accept);
    await settled();
    context.reportProgress(2, 2);
    await settled();
    const progress = notifications.filter(({ method }) => method === 'notifications/progress');
    expect(progress).toMatchObject([{ params: { progressToken: 'p', progress: 1, total: 2 } }]);
  });
});

describe('the limits of a client that runs requests as tasks', () => {
  it('has a longest ttl, and reports the one that holds [s-tasks-38, s-tasks-39, s-tasks-83]', async () => {
    const { start, ask } = await taskingServer({ tasks: withFixed({ pollIntervalMs: 10 }, { maxTtlMs: 60_000 }) });
    const { taskId, ttl } = await start({ ttl: 120_000 });
    expect(ttl).toBe(60_000);
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({ ttl: 60_000, pollInterval: 10 });
    expect((await start({ ttl: 500 })).ttl).toBe(500);
  });

  it('aborts and deletes a task whose ttl is over [s-tasks-40, s-tasks-84]', async () => {
    const { start, ask, shown, clock, settled } = await taskingServer();
    const { taskId } = await start({ ttl: 5000 });
    const { context } = await shown();
    const waiting = ask('tasks/result', { taskId });
    await settled();
    clock.advance(5001);
    expect(context.signal.aborted).toBe(true);
    expect(errorOf(await waiting).message).toContain('its ttl of 5000 ms is over');
    expect(errorOf(await ask('tasks/get', { taskId })).code).toBe(-32602);
  });

  it('runs so many tasks at once, and names the limit to a server that wants more [s-tasks-82]', async () => {
    const { start, elicit, ask, shown } = await taskingServer({ tasks: withFixed({}, { maxTasks: 2 }) });
    const { taskId } = await start();
    await start();
    expect(errorOf(await elicit({}))).toMatchObject({ message: 'This client runs at most 2 tasks at once' });
    (await shown()).reply(accept);
    await ask('tasks/result', { taskId });
    expect(await start()).toMatchObject({ status: 'working' });
  });

  it('stores results up to the same number, and deletes the oldest first', async () => {
    const { start, ask, shown } = await taskingServer({ tasks: withFixed({}, { maxTasks: 1 }) });
    const ids: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { taskId } = await start();
      ids.push(taskId);
      (await shown()).reply(accept);
      await ask('tasks/result', { taskId });
    }
    expect(errorOf(await ask('tasks/get', { taskId: ids[0] })).code).toBe(-32602);
    expect(resultOf(await ask('tasks/get', { taskId: ids[2] })).status).toBe('completed');
  });

  it('lets an answer take longer than timeouts.inputMs', async () => {
    const { start, ask, shown, clock } = await taskingServer();
    const { taskId } = await start();
    const { reply } = await shown();
    clock.advance(30 * 60_000);
    reply(accept);
    expect(resultOf(await ask('tasks/result', { taskId }))).toMatchObject(accept);
  });
});

describe('the task of a call', () => {
  it('pauses the time limit of the call until it is over', async () => {
    const { client, called, start, shown, clock, send } = await taskingServer();
    const calling = client.tools.call('ask');
    const call = await called();
    await start();
    const { reply } = await shown();
    clock.advance(30 * 60_000);
    reply(accept);
    await client.ping();
    send({ id: call.id, result: { content: [{ type: 'text', text: 'done' }] } });
    expect((await calling).content).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('is cancelled with the call, and a task of a task of the server is not', async () => {
    const { client, called, start, ask, shown } = await taskingServer();
    const controller = new AbortController();
    const calling = client.tools.call('ask', {}, { signal: controller.signal }).catch(({ code }) => code);
    await called();
    const own = await start();
    const { context } = await shown();
    const other = await start({}, { _meta: { [related]: { taskId: 'of-the-server' } } });
    controller.abort();
    expect(await calling).toBe('cancelled');
    expect(context.signal.aborted).toBe(true);
    expect(resultOf(await ask('tasks/get', { taskId: own.taskId }))).toMatchObject({ status: 'cancelled' });
    expect(resultOf(await ask('tasks/get', { taskId: other.taskId }))).toMatchObject({ status: 'working' });
  });

  it('is aborted when the client closes', async () => {
    const { client, start, shown } = await taskingServer();
    await start({}, { _meta: { [related]: { taskId: 'of-the-server' } } });
    const { context } = await shown();
    await client.close();
    expect(context.signal.aborted).toBe(true);
  });
});

describe('a client that runs no tasks', () => {
  it('declares none, ignores `task`, and knows no methods for tasks [s-tasks-22]', async () => {
    const { declared, elicit, shown, ask } = await taskingServer({ tasks: false });
    expect(declared).not.toHaveProperty('tasks');
    const plain = elicit({ ttl: 1000 });
    const { reply, request } = await shown();
    expect(request).not.toHaveProperty('task');
    reply(accept);
    expect(resultOf(await plain)).toEqual(accept);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'])
      expect(errorOf(await ask(method, { taskId: 'x' })).code).toBe(-32601);
  });

  it('declares none in versions without them', async () => {
    const { declared } = await taskingServer({}, '2025-06-18');
    expect(declared).not.toHaveProperty('tasks');
  });

  it('names a wrong option', async () => {
    const { connect, createServer } = await import('tenon');
    const server = createServer({ name: 's', version: '1' });
    const handlers = { elicitForm: () => accept, tasks: { maxTask: 3 } } as never;
    await expect(connect(server, { handlers })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('handlers.tasks.maxTask'),
    });
  });
});
