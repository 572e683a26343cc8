/** Tasks of a server that wait for what their client runs as a task: each side has one. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { connect as connectByFetch } from 'tenon/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { codeOf, openClient, resultOf, taskServer } from './task-server.ts';

const related = 'io.modelcontextprotocol/related-task';
const accept = { action: 'accept', content: { name: 'Ann' } };
const capabilities = { elicitation: {}, tasks: { cancel: {}, requests: { elicitation: { create: {} } } } };
const at = '2026-01-01T00:00:00.000Z';
const taskOf = (status: string): Json => ({
  taskId: 'of-the-client',
  status,
  createdAt: at,
  lastUpdatedAt: at,
  ttl: 60_000,
  pollInterval: 100,
});

/** A client of raw messages that answers requests of the server by method; it is silent where there is no answer. */
async function open(server: ReturnType<typeof taskServer>['server'], answers: Record<string, Json>) {
  const requests: Json[] = [];
  const client = openClient(server, {}, (request) => {
    requests.push(request);
    return answers[request.method as string];
  });
  await client.ask('initialize', { ...(handshake('2025-11-25').params as Json), capabilities });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  /** The next message that is not a notification. */
  async function next(): Promise<Json> {
    for (;;) {
      const message = await withTimeout(client.next(), 'a message of the server');
      if (message.id !== undefined) return message;
    }
  }
  return { ...client, next, requests, methods: () => requests.map(({ method }) => method) };
}

describe('a task that needs an answer of a client which runs tasks', () => {
  it('has the client run the request as a task, which names it [s-tasks-33, s-tasks-47, s-tasks-48]', async () => {
    const { server } = taskServer();
    const { ask, requests, methods } = await open(server, {
      'elicitation/create': { task: taskOf('working') },
      'tasks/get': taskOf('completed'),
      'tasks/result': accept,
    });
    const { taskId } = resultOf(await ask('tools/call', { name: 'greet', task: {} })).task as Json;
    const result = resultOf(await ask('tasks/result', { taskId }));
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    expect(methods()).toEqual(['elicitation/create', 'tasks/get', 'tasks/result']);
    expect(requests[0]).toMatchObject({
      params: { task: { ttl: expect.any(Number) }, _meta: { [related]: { taskId } } },
    });
  });

  it('follows the same task of the client when its connection was lost, and asks the user once', async () => {
    const { server } = taskServer();
    const first = await open(server, { 'elicitation/create': { task: taskOf('working') } });
    const { taskId } = resultOf(await first.ask('tools/call', { name: 'greet', task: {} })).task as Json;
    first.send({ jsonrpc: '2.0', id: 'w', method: 'tasks/result', params: { taskId } });
    const asked = await first.next();
    first.send({ jsonrpc: '2.0', id: asked.id, result: { task: taskOf('working') } });
    expect((await first.next()).method).toBe('tasks/get');
    first.transport.close();
    const second = await open(server, { 'tasks/get': taskOf('completed'), 'tasks/result': accept });
    const result = resultOf(await second.ask('tasks/result', { taskId }));
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    expect(new Set(second.methods())).toEqual(new Set(['tasks/get', 'tasks/result']));
  });

  it('asks again if the client of the next connection does not have that task', async () => {
    const { server } = taskServer();
    const first = await open(server, {});
    const { taskId } = resultOf(await first.ask('tools/call', { name: 'greet', task: {} })).task as Json;
    first.send({ jsonrpc: '2.0', id: 'w', method: 'tasks/result', params: { taskId } });
    const asked = await first.next();
    first.send({ jsonrpc: '2.0', id: asked.id, result: { task: taskOf('working') } });
    await first.next();
    first.transport.close();
    const second = await open(server, { 'elicitation/create': accept });
    second.send({ jsonrpc: '2.0', id: 'w', method: 'tasks/result', params: { taskId } });
    const look = await second.next();
    expect(look).toMatchObject({ method: 'tasks/get', params: { taskId: 'of-the-client' } });
    second.send({ jsonrpc: '2.0', id: look.id, error: { code: -32602, message: 'There is no such task' } });
    const again = await second.next();
    expect(again.method).toBe('elicitation/create');
    second.send({ jsonrpc: '2.0', id: again.id, result: accept });
    expect(resultOf(await second.next()).content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
  });

  it('cancels the task of the client when it is cancelled itself', async () => {
    const { server } = taskServer();
    const client = await open(server, {});
    const { taskId } = resultOf(await client.ask('tools/call', { name: 'greet', task: {} })).task as Json;
    client.send({ jsonrpc: '2.0', id: 'w', method: 'tasks/result', params: { taskId } });
    const asked = await client.next();
    client.send({ jsonrpc: '2.0', id: asked.id, result: { task: { ...taskOf('working'), pollInterval: 60_000 } } });
    client.send({ jsonrpc: '2.0', id: 'x', method: 'tasks/cancel', params: { taskId } });
    const rest = [await client.next(), await client.next(), await client.next()];
    expect(rest).toContainEqual(
      expect.objectContaining({ method: 'tasks/cancel', params: { taskId: 'of-the-client' } }),
    );
    expect(codeOf(rest.find(({ id }) => id === 'w') as Json)).toBeTypeOf('number');
  });
});

/** A server that asks by a task in a plain call, and how it is asked. */
const asker = () =>
  createServer({
    name: 's',
    version: '1',
    tools: {
      ask: tool({}, async (_given, ctx) => {
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
        const answer = await ctx.elicit('who', { message: 'Who?', requestedSchema }, { task: true });
        return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
      }),
    },
  });

describe('a client and a server of Tenon at 2025-11-25', () => {
  const options = {
    protocolVersions: ['2025-11-25' as const],
    handlers: { elicitForm: () => ({ action: 'accept' as const, content: { name: 'Ann' } }) },
  };

  it('run the elicitation of a call as a task in one process', async () => {
    const client = await connect(asker(), options);
    expect((await client.tools.call('ask')).content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    await client.close();
  });

  it('run it as a task over HTTP, by the rules of the transport [s-tasks-15]', async () => {
    const service = await serveHttp(asker(), { port: 0 });
    onTestFinished(() => service.close());
    const sending = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => sending.mockRestore());
    const client = await connectByFetch(service.url, options);
    expect((await client.tools.call('ask')).content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    await client.close();
    const sent = sending.mock.calls.flatMap(([, init]) => (typeof init?.body === 'string' ? [init.body] : []));
    const results = sent.map((text) => (JSON.parse(text) as { result?: Json }).result);
    expect(results).toContainEqual(expect.objectContaining({ task: expect.objectContaining({ status: 'working' }) }));
  });
});
