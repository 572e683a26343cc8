/** `client.tasks`: every method at both protocol versions that have tasks, and named errors where one lacks something. */
import { connect, createServer, type ProtocolVersion, type Task, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';

const task = { support: 'required', pollIntervalMs: 50 } as const;

function taskServer() {
  const held = deferred();
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    tools: {
      held: tool({ task }, async (_given, { reportProgress }) => {
        reportProgress(1, 2, 'half');
        await held.promise;
        return 'released';
      }),
      greet: tool({ task }, async (_given, ctx) => {
        const answer = await ctx.elicit('name', { message: 'Who?', schema: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
      }),
    },
  });
  return { server, release: () => held.resolve() };
}

const handlers = { elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }) as const };

/** Begins a task and stops following it. */
async function begun(version: ProtocolVersion, name: 'held' | 'greet' = 'held') {
  const fixture = taskServer();
  const client = await connect(fixture.server, { protocolVersions: [version], handlers });
  const created = deferred<Task>();
  const stopped = new Error('only the ID is wanted');
  await client.tools
    .call(
      name,
      {},
      {
        onTask(one) {
          created.resolve(one);
          throw stopped;
        },
      },
    )
    .catch(() => {});
  return { ...fixture, client, ...(await created.promise) };
}

describe.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])('client.tasks at %s', (version) => {
  const isAlone = version === '2026-07-28';

  it('reads a task, and rejects with task-not-found for one that does not exist', async () => {
    const { client, taskId } = await begun(version);
    await using _ = client;
    expect(await client.tasks.get(taskId)).toMatchObject({
      taskId,
      status: 'working',
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttlMs: 3_600_000,
      pollIntervalMs: 50,
    });
    const missing = { code: 'task-not-found', details: { taskId: 'none' } };
    await expect(client.tasks.get('none')).rejects.toMatchObject(missing);
    await expect(client.tasks.cancel('none')).rejects.toMatchObject(missing);
    await expect(client.tasks.result('none')).rejects.toMatchObject(missing);
  });

  it('gets the result of a task when it is over, and again as long as the server stores it', async () => {
    const { client, taskId, release } = await begun(version);
    await using _ = client;
    const result = client.tasks.result(taskId);
    release();
    expect((await result).content).toEqual([{ type: 'text', text: 'released' }]);
    expect((await client.tasks.result(taskId)).content).toEqual([{ type: 'text', text: 'released' }]);
  });

  it('watches a task until it is over', async () => {
    const { client, taskId, release } = await begun(version);
    await using _ = client;
    const over = deferred();
    const seen: string[] = [];
    await client.tasks.watch(taskId, ({ status }) => {
      seen.push(status);
      if (status === 'working') release();
      if (status === 'completed') over.resolve();
    });
    await over.promise;
    expect(seen.at(-1)).toBe('completed');
    expect(new Set(seen)).toEqual(new Set(['working', 'completed']));
  });

  it('cancels a task, and leaves one that is over as it is [ext-tasks-46, s-tasks-64]', async () => {
    const { client, taskId } = await begun(version);
    await using _ = client;
    await client.tasks.cancel(taskId);
    expect(await client.tasks.get(taskId)).toMatchObject({ status: 'cancelled' });
    await client.tasks.cancel(taskId);
    await expect(client.tasks.result(taskId)).rejects.toMatchObject({ code: 'task-cancelled', details: { taskId } });
  });

  it('cancels a task whose result is awaited when the caller aborts', async () => {
    const { client, taskId } = await begun(version);
    await using _ = client;
    const controller = new AbortController();
    const result = client.tasks.result(taskId, { signal: controller.signal });
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: 'cancelled', details: { taskId } });
  });

  it('answers what a task requires, where the client sees it; otherwise the handlers do', async () => {
    const { client, taskId } = await begun(version, 'greet');
    await using _ = client;
    const required = deferred<Task>();
    const watcher = await client.tasks.watch(taskId, (one) => {
      if (one.status === 'input_required') required.resolve(one);
    });
    const { inputRequests = {} } = await required.promise;
    await watcher.close();
    const content = { name: 'Grace' };
    const answers = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'accept', content }]));
    const answered = client.tasks.answer(taskId, answers);
    const outcome = await answered.catch(({ code }) => code);
    expect(outcome).toBe(isAlone ? undefined : 'capability-not-supported');
    const text = isAlone ? 'Hello, Grace' : 'Hello, Ada';
    expect((await client.tasks.result(taskId)).content).toEqual([{ type: 'text', text }]);
  });

  it('refuses what is no ID, and options that do not exist', async () => {
    const { client } = await begun(version);
    await using _ = client;
    await expect(client.tasks.get('')).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { place: 'taskId' },
    });
    await expect(client.tasks.result(5 as never)).rejects.toMatchObject({ details: { place: 'taskId' } });
    await expect(client.tasks.get('a', { timeout: 5 } as never)).rejects.toMatchObject({
      details: { place: 'timeout' },
    });
    await expect(client.tools.call('held', {}, { task: { ttl: 5 } as never })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { place: 'task' },
    });
    await expect(client.tools.call('held', {}, { onTask: 5 as never })).rejects.toMatchObject({
      details: { place: 'onTask' },
    });
  });
});

it('an answer that is not valid is refused as what it is, and the task still waits for it', async () => {
  const { client, taskId } = await begun('2026-07-28', 'greet');
  await using _ = client;
  const required = deferred();
  await client.tasks.watch(taskId, ({ status }) => void (status === 'input_required' && required.resolve()));
  await required.promise;
  const wrong = { '1.name': { action: 'accept', content: { name: 5 } } };
  await expect(client.tasks.answer(taskId, wrong)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('The answer to "1.name" is not valid'),
  });
  await expect(client.tasks.answer('none', wrong)).rejects.toMatchObject({ code: 'task-not-found' });
  await expect(client.tasks.answer(taskId, 5 as never)).rejects.toMatchObject({ details: { place: 'answers' } });
  expect(await client.tasks.get(taskId)).toMatchObject({ status: 'input_required' });
});

it('tasks of 2026-07-28 are not listed by servers: the error says what to do', async () => {
  const { client } = await begun('2026-07-28');
  await using _ = client;
  await expect(client.tasks.list().all()).rejects.toMatchObject({
    code: 'capability-not-supported',
    hint: expect.stringContaining('taskFile'),
  });
});

it('tasks of 2025-11-25 are listed by servers that know their caller', async () => {
  const { client, taskId } = await begun('2025-11-25');
  await using _ = client;
  expect(await client.tasks.list().all()).toMatchObject([{ taskId, status: 'working' }]);
});
