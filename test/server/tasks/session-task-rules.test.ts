/** Tasks of 2025-11-25: whose they are, how they end, and their limits. */
import { createServer, RpcError, type ServerOptions, ToolError, toFetchHandler, tool } from 'tenon';
import { createMemoryStore } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf } from './task-server.ts';

const related = 'io.modelcontextprotocol/related-task';

function outcomes(options: ServerOptions = {}) {
  const held = deferred();
  const server = createServer(
    {
      name: 's',
      version: '1',
      tools: {
        quick: tool({ task: 'optional' }, () => 'done'),
        held: tool({ task: 'optional' }, async () => {
          await held.promise;
          return 'released';
        }),
        refusing: tool({ task: 'optional' }, () => {
          throw new RpcError(-32050, 'Out of paper', { tray: 2 });
        }),
        failing: tool({ task: 'optional' }, () => {
          throw new ToolError('no paper');
        }),
      },
    },
    { onError: () => undefined, ...options },
  );
  onTestFinished(() => held.resolve());
  return server;
}

async function open(server = outcomes(), principal?: string) {
  const client = openClient(server, principal === undefined ? {} : { principal });
  await client.ask('initialize', handshake('2025-11-25').params as Json);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = (name: string, task: Json | null = {}): Promise<Json> =>
    client.ask('tools/call', { name, ...(task && { task }) });
  const start = async (name: string, task: Json = {}): Promise<Json> => resultOf(await call(name, task)).task as Json;
  return { ...client, call, start };
}

describe('the outcome of a task', () => {
  it('is the JSON-RPC error in which the plain call ends, and the status says why [s-tasks-44, s-tasks-69, s-tasks-70, s-tasks-72]', async () => {
    const { call, start, ask } = await open();
    const plain = await call('refusing', null);
    const { taskId } = await start('refusing');
    const { error } = await ask('tasks/result', { taskId });
    expect(error).toEqual(plain.error);
    expect(error).toMatchObject({ code: -32050, message: 'Out of paper' });
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({
      status: 'failed',
      statusMessage: 'Out of paper',
    });
  });

  it('is a result also when the tool reports an error, and the task has failed then and says why [s-tasks-70, s-tasks-71, s-tasks-73]', async () => {
    const { call, start, ask } = await open();
    const plain = resultOf(await call('failing', null));
    const { taskId } = await start('failing');
    const result = resultOf(await ask('tasks/result', { taskId }));
    expect(result).toEqual({ ...plain, _meta: { [related]: { taskId } } });
    expect(result).toMatchObject({ isError: true });
    const shown = { status: 'failed', statusMessage: 'no paper' };
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject(shown);
  });

  it('does not change when it is asked for again [s-tasks-28, s-tasks-29]', async () => {
    const { start, ask } = await open();
    const { taskId } = await start('quick');
    const first = resultOf(await ask('tasks/result', { taskId }));
    const before = resultOf(await ask('tasks/get', { taskId }));
    expect(codeOf(await ask('tasks/cancel', { taskId }))).toBe(-32602);
    expect(resultOf(await ask('tasks/result', { taskId }))).toEqual(first);
    expect(resultOf(await ask('tasks/get', { taskId }))).toEqual(before);
  });

  it('is not named by the metadata of answers that have the task itself [s-tasks-52]', async () => {
    const { start, ask } = await open();
    const { taskId } = await start('held');
    for (const method of ['tasks/get', 'tasks/list', 'tasks/cancel'])
      expect(resultOf(await ask(method, { taskId }))).not.toHaveProperty('_meta');
  });
});

describe('the tasks of a principal', () => {
  it('cannot be read, awaited or cancelled by another one, and look as if there were none [s-tasks-74, s-tasks-79]', async () => {
    const server = outcomes();
    const ann = await open(server, 'ann');
    const bob = await open(server, 'bob');
    const { taskId } = await ann.start('held');
    const unknown = '0'.repeat(33);
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const { error } = await bob.ask(method, { taskId });
      expect(error).toMatchObject({ code: -32602 });
      expect((error as Json).message).toBe(((await bob.ask(method, { taskId: unknown })).error as Json).message);
    }
    expect(resultOf(await ann.ask('tasks/get', { taskId })).status).toBe('working');
  });

  it('are the only ones that it lists [s-tasks-80]', async () => {
    const server = outcomes();
    const ann = await open(server, 'ann');
    const bob = await open(server, 'bob');
    const { taskId } = await ann.start('quick');
    await bob.start('quick');
    const { tasks } = resultOf(await ann.ask('tasks/list')) as { tasks: Json[] };
    expect(tasks.map((task) => task.taskId)).toEqual([taskId]);
  });

  it('have ids of 128 random bits, which are all that an anonymous caller needs [s-tasks-76]', async () => {
    const { start } = await open();
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(String((await start('quick')).taskId));
    expect(new Set(ids.map((id) => id.slice(1, 9))).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{33}$/);
  });
});

describe('the limits of tasks', () => {
  it('bound the ttl that a client can have, and the answer reports it [s-tasks-38, s-tasks-83]', async () => {
    const { start } = await open();
    const { ttl } = await start('quick', { ttl: 365 * 24 * 60 * 60_000 });
    expect(ttl).toBe(7 * 24 * 60 * 60_000);
  });

  it('bound how many of a principal are unfinished [s-tasks-82]', async () => {
    const { start, call, ask } = await open(outcomes({ tasks: { maxPerPrincipal: 1 } }));
    const { taskId } = await start('held');
    expect((await call('held')).error).toMatchObject({ message: 'Too many of your tasks have not finished yet' });
    await ask('tasks/cancel', { taskId });
    expect(await start('held')).toMatchObject({ status: 'working' });
  });
});

describe('tasks over HTTP', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  async function openHttp(options: Parameters<typeof toFetchHandler>[1] = {}) {
    const handler = toFetchHandler(outcomes({ secrets: ['at least sixteen characters'] }), options);
    onTestFinished(() => handler.close());
    const post = (body: Json, more: Record<string, string> = {}): Promise<Response> =>
      handler(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        }),
      );
    const hello = await post(handshake('2025-11-25'));
    await hello.text();
    const session = {
      'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
    const ask = async (method: string, params: Json): Promise<{ type: string | null; message: Json }> => {
      const response = await post({ id: method, method, params }, session);
      const text = await response.text();
      const data = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}');
      return { type: response.headers.get('content-type'), message: JSON.parse(data) as Json };
    };
    const { message } = await ask('tools/call', { name: 'held', task: {} });
    const { taskId } = resultOf(message).task as Json;
    return { ask, taskId };
  }

  it('answers the creation and tasks/get with JSON, not with a stream [s-tasks-15, s-tasks-31, s-tasks-43]', async () => {
    const { ask, taskId } = await openHttp();
    const { type, message } = await ask('tasks/get', { taskId });
    expect(type).toMatch(/^application\/json/);
    expect(resultOf(message)).toMatchObject({ taskId, status: 'working' });
  });

  it('answers with -32603 when the store fails, without its text [s-tasks-67]', async () => {
    const store = createMemoryStore();
    const { tasks } = store;
    if (tasks === undefined) throw new Error('A store in memory has tasks');
    const { ask, taskId } = await openHttp({ store });
    tasks.read = () => Promise.reject(new Error('private'));
    const { message } = await ask('tasks/get', { taskId });
    expect(message.error).toMatchObject({ code: -32603 });
    expect(JSON.stringify(message)).not.toContain('private');
  });
});
