/** Tasks of the founding documents over HTTP, where two nodes share a store: a session has its dialect on both. */
import { serveHttp } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { request, sessionAt, startSession } from '../../kit/http/messages.ts';
import type { Json } from '../../kit/http/raw-http.ts';
import { taskServer } from './task-server.ts';

it.each(['2025-03-26', '2025-11-25'])(
  'a session that began at one node creates, reads and follows its tasks at the other, at %s [S18]',
  async (revision) => {
    const store = createMemoryStore();
    const secrets = ['a secret that both of them know'];
    const fixtures = [taskServer({}, { secrets }), taskServer({}, { secrets })] as const;
    const [a, b] = await Promise.all(fixtures.map(({ server }) => serveHttp(server, { port: 0, store })));
    onTestFinished(async () => void (await Promise.all([a?.close(), b?.close()])));
    const capabilities = { experimental: { tasks: {} } };
    const session = await startSession(a?.url ?? '', revision, { capabilities });
    const there = sessionAt(b?.url ?? '', session);
    const stream = await there.listen();
    const created = await there.post(request('tasks/create', { name: 'held', description: 'Process users' }, 2));
    const { taskId, status } = (created.json as { result: Json }).result;
    expect(status).toBe('pending');
    let task: Json = {};
    while (task.startedAt === undefined)
      task = ((await session.post(request('tasks/get', { taskId }, 3))).json as { result: Json }).result;
    expect(task).toMatchObject({ taskId, status: 'running', description: 'Process users' });
    for (const { release } of fixtures) release();
    const isCompleted = ({ method }: Json): boolean => method === 'notifications/tasks/completed';
    await stream.until(() => stream.messages().some(isCompleted), 'the completion');
    expect(stream.messages().filter(isCompleted)).toMatchObject([
      { params: { taskId, status: 'completed', result: { content: [{ text: 'released' }] } } },
    ]);
    stream.cut();
  },
);
