/** A client that follows tasks of the founding documents: document 003, section 7. */
import { connect, createServer, type ProtocolVersion, type Task, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';
import { deferred } from '../../kit/deferred.ts';

const versions: ProtocolVersion[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const compat = { dialects: ['tasks-create'] } as const;

function batchServer() {
  const held = deferred();
  const aborted = deferred();
  const server = createServer(
    {
      name: 'users',
      version: '1.0.0',
      tools: {
        batch: tool(
          { inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ done: z.number() }), task: 'optional' },
          ({ n }) => ({ done: n }),
        ),
        text: tool({ task: 'optional' }, () => 'done'),
        failing: tool({ task: 'optional' }, () => {
          throw new Error('private');
        }),
        greet: tool({ task: 'optional' }, async (_given, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
        }),
        held: tool({ task: 'optional' }, async (_given, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          await held.promise;
          return 'released';
        }),
      },
    },
    { onError: () => undefined },
  );
  return { server, aborted: aborted.promise };
}

describe.each(versions)('a client with the dialect tasks-create at %s', (version) => {
  const options = { protocolVersions: [version], compat };

  it('creates a task by tasks/create and follows it to its result [S18]', async () => {
    await using client = await connect(batchServer().server, options);
    const tasks: Task[] = [];
    const given = { task: true, onTask: (one: Task) => void tasks.push(one) } as const;
    const result = await client.tools.call('batch', { n: 3 }, given);
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"done":3}' }] });
    expect(tasks).toMatchObject([{ taskId: expect.any(String), status: 'working' }]);
    expect((await client.tools.call('text', {}, given)).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(await client.tasks.get(tasks[1]?.taskId ?? '')).toMatchObject({ status: 'completed' });
  });

  it('rejects with the error of a failed task, and cancels a task when the caller aborts [S18]', async () => {
    const { server, aborted } = batchServer();
    await using client = await connect(server, options);
    await expect(client.tools.call('failing', {}, { task: true })).rejects.toMatchObject({
      message: 'The tool failing failed.',
    });
    const controller = new AbortController();
    const call = client.tools.call(
      'held',
      {},
      { task: true, signal: controller.signal, onTask: () => controller.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await aborted;
  });

  it('calls plainly where no task is requested', async () => {
    await using client = await connect(batchServer().server, options);
    const onTask = (): never => {
      throw new Error('no task was wanted');
    };
    expect((await client.tools.call('text', {}, { onTask })).content).toEqual([{ type: 'text', text: 'done' }]);
  });
});

it('answers what a founding task requires by the handlers [S18]', async () => {
  await using client = await connect(batchServer().server, {
    protocolVersions: ['2025-06-18'],
    compat,
    handlers: { elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }) },
  });
  const { content } = await client.tools.call('greet', {}, { task: true });
  expect(content).toEqual([{ type: 'text', text: 'Hello, Ada' }]);
});

it('passes on the progress of a founding task, and is done at its notification [S18]', async () => {
  const created = { taskId: 't1', status: 'pending', createdAt: '2025-01-20T12:00:00Z' };
  const sent: unknown[] = [];
  const world = simulateServer({
    revision: '2025-06-18',
    capabilities: { tools: {}, experimental: { tasks: {} } },
    received(wire, { id, method, params }) {
      if (id === undefined) return;
      sent.push({ method, params });
      const result =
        method === 'tasks/create' ? created : { ...created, status: 'completed', result: { processedRecords: 10_000 } };
      queueMicrotask(() => wire.answer(id as number, { result }));
    },
  });
  const client = world.client({ compat });
  const seen: unknown[] = [];
  const call = client.tools.call('batch', { n: 1 }, { task: true, onProgress: (update) => void seen.push(update) });
  await still();
  const notify = (method: string, params: Record<string, unknown>): void =>
    world.wire()?.write({ method, params: { taskId: 't1', ...params } });
  notify('notifications/tasks/progress', { progress: 0.65, currentStep: 'Processing batch 65 of 100' });
  await still();
  expect(seen).toEqual([{ progress: 0.65, total: 1, message: 'Processing batch 65 of 100' }]);
  expect(sent).toMatchObject([{ method: 'tasks/create', params: { name: 'batch', parameters: { n: 1 } } }]);
  notify('notifications/tasks/completed', { status: 'completed', result: { processedRecords: 10_000 } });
  expect(await call).toMatchObject({ structuredContent: { processedRecords: 10_000 } });
  expect(sent).toMatchObject([{ method: 'tasks/create' }, { method: 'tasks/get', params: { taskId: 't1' } }]);
});

it('does not use tasks of the documents where the server did not declare them', async () => {
  const world = simulateServer({ revision: '2025-06-18', capabilities: { tools: {} } });
  const client = world.client({ compat });
  await expect(client.tools.call('a', {}, { task: true })).rejects.toMatchObject({ code: 'capability-not-supported' });
});
