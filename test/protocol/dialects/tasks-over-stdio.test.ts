/** A client and a server program of founding document 003, section 7: the outcome of a task comes with a notification. */
import { connect } from 'tenon';
import { expect, it } from 'vitest';
import { program, rawServerScript } from '../../kit/process/node-script.ts';

/** A server that creates a task, notifies of its end, and whose `tasks/get` is what the script says. */
const server = (notification: object, get: string) =>
  program(
    rawServerScript(
      `
      const created = { taskId: 'task-abc123', status: 'pending', createdAt: '2026-02-01T12:00:00Z' };
      if (message.method === 'tasks/create') {
        answer({ result: created });
        return setImmediate(() => print(JSON.stringify({ jsonrpc: '2.0', ...${JSON.stringify(notification)} })));
      }
      ${get}`,
    ).replace('capabilities: { tools: {} }', 'capabilities: { tools: {}, experimental: { tasks: {} } }'),
  );

const completed = {
  method: 'notifications/tasks/completed',
  params: {
    taskId: 'task-abc123',
    status: 'completed',
    result: { processedRecords: 10_000, duration: '00:15:30' },
    completedAt: '2026-02-01T12:15:30Z',
  },
};
const failed = {
  method: 'notifications/tasks/failed',
  params: { taskId: 'task-abc123', error: { code: -32004, message: 'The disk is full', data: { freeBytes: 0 } } },
};
const bare = (status: string) => `answer({ result: { ...created, status: '${status}' } });`;
const options = { protocolVersions: ['2025-06-18'], compat: { dialects: ['tasks-create'] } } as const;

it.each([
  ['shows no result', bare('completed')],
  ['still shows the task as running', bare('running')],
  ['does not know the task any more', "answer({ error: { code: -32602, message: 'Unknown task' } });"],
])('uses the result of notifications/tasks/completed where tasks/get %s [S18]', async (_, get) => {
  await using client = await connect(server(completed, get), options);
  const result = await client.tools.call('batch', {}, { task: true });
  expect(result).toMatchObject({ structuredContent: { processedRecords: 10_000, duration: '00:15:30' } });
});

it.each([
  ['notifications/tasks/failed', failed],
  ['notifications/tasks/completed', { ...completed, params: { ...failed.params, status: 'failed' } }],
])('uses the error of %s where tasks/get shows none [S18]', async (_, notification) => {
  await using client = await connect(server(notification, bare('failed')), options);
  await expect(client.tools.call('batch', {}, { task: true })).rejects.toMatchObject({
    code: -32004,
    message: 'The disk is full',
    data: { freeBytes: 0 },
  });
});

it('waits for the notification of a task that tasks/get shows as completed without a result [S18]', async () => {
  const late = `
    answer({ result: { ...created, status: 'completed' } });
    if (!globalThis.sent) setImmediate(() => print(JSON.stringify({ jsonrpc: '2.0', ...${JSON.stringify(completed)} })));
    globalThis.sent = true;`;
  const silent = { method: 'notifications/message', params: { level: 'info', data: 'created' } };
  await using client = await connect(server(silent, late), options);
  const result = await client.tools.call('batch', {}, { task: true });
  expect(result).toMatchObject({ structuredContent: { processedRecords: 10_000 } });
});
