/** Notifications of tasks where several nodes share a store: the node that has the client learns of what another one runs. */
import { serveHttp } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asyncStore } from '../../kit/async-store.ts';
import { lone, request, sessionAt, startSession } from '../../kit/http/messages.ts';
import { type Json, type OpenResponse, open, send } from '../../kit/http/raw-http.ts';
import { lossyStore } from '../../kit/lossy-bus.ts';
import { taskServer } from './task-server.ts';

const secrets = ['a secret that both of them know'];
const status = 'notifications/tasks/status';
const declared = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** A node that creates a task takes it at once, so the other one only learns of it. */
async function twoNodes(shared: Store = createMemoryStore()) {
  const bus = lossyStore(shared);
  const [first, second] = [taskServer({}, { secrets }), taskServer({}, { secrets })];
  // A store that answers asynchronously may be slow on a busy machine.
  const options = { port: 0, timeouts: { storeMs: 60_000 } };
  const a = await serveHttp(first.server, { ...options, store: shared });
  const b = await serveHttp(second.server, { ...options, store: bus.store });
  const release = (): void => {
    first.release();
    second.release();
  };
  onTestFinished(async () => {
    release();
    await Promise.all([a.close(), b.close()]);
  });
  return { a: a.url, b: b.url, bus, release };
}

const taskIdOf = (answer: Json): string => ((answer.result as Json).task as Json).taskId as string;
const statuses = (stream: OpenResponse, method: string): unknown[] =>
  stream.messages().flatMap((message) => (message.method === method ? [(message.params as Json).status] : []));

const stores = [
  ['a synchronous', createMemoryStore],
  ['an asynchronous', asyncStore],
] as const;

describe.each(stores)('two nodes with %s store', (_name, create) => {
  it('send the status and progress of a task to the session that created it, once, wherever its client listens [s-tasks-19, s-tasks-30, s-progress-10]', async () => {
    const { a, b, release } = await twoNodes(create());
    const session = await startSession(a, '2025-11-25');
    const stream = await sessionAt(b, session).listen();
    const params = { name: 'held', arguments: {}, task: {}, _meta: { progressToken: 7 } };
    const created = await session.post(request('tools/call', params, 2));
    const taskId = taskIdOf(created.json as Json);
    await stream.until(() => stream.messages().length > 0, 'the progress');
    release();
    await stream.until(() => statuses(stream, status).length > 0, 'the status');
    expect(stream.messages()).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
      { method: status, params: { taskId, status: 'completed' } },
    ]);
    stream.cut();
  });

  it('send a task to a subscription at the other node', async () => {
    const { a, b, release } = await twoNodes(create());
    const created = await send(a, lone('tools/call', { name: 'held', arguments: {} }, declared));
    const { taskId } = (created.json as Json).result as Json;
    const stream = await open(b, lone('subscriptions/listen', { notifications: { taskIds: [taskId] } }, declared));
    await stream.until(() => stream.messages().length > 0, 'the acknowledgement');
    release();
    await stream.until(() => statuses(stream, 'notifications/tasks').length > 0, 'the task');
    expect(statuses(stream, 'notifications/tasks')).toEqual(['completed']);
    stream.cut();
  });
});

describe('a node that lost messages of the bus', () => {
  it('reads the tasks that its subscriptions and sessions follow again', async () => {
    const { a, b, bus, release } = await twoNodes();
    const session = await startSession(b, '2025-11-25');
    const listening = await session.listen();
    bus.cut();
    const created = await sessionAt(a, session).post(request('tools/call', { name: 'held', task: {} }, 2));
    const taskId = taskIdOf(created.json as Json);
    await session.post(request('tasks/get', { taskId }, 3));
    const filter = { notifications: { taskIds: [taskId] } };
    const stream = await open(b, lone('subscriptions/listen', filter, declared));
    await stream.until(() => stream.messages().length > 0, 'the acknowledgement');
    release();
    const isOver = async (): Promise<boolean> => {
      const got = await sessionAt(a, session).post(request('tasks/get', { taskId }, 4));
      return ((got.json as Json).result as Json).status === 'completed';
    };
    while (!(await isOver()));
    bus.reconnect();
    await stream.until(() => statuses(stream, 'notifications/tasks').length > 0, 'the task');
    await listening.until(() => statuses(listening, status).length > 0, 'the status');
    expect(statuses(stream, 'notifications/tasks')).toEqual(['completed']);
    expect(statuses(listening, status)).toEqual(['completed']);
    for (const one of [stream, listening]) one.cut();
  });
});
