/** Tasks of 2025-11-25 as messages on the wire. */
import { describe, expect, it } from 'vitest';
import { handshake, type Json } from '../../kit/transport/raw-connection.ts';
import { codeOf, openClient, resultOf, taskServer } from './task-server.ts';

const related = 'io.modelcontextprotocol/related-task';
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

async function open(
  capabilities: Json = {},
  more: Parameters<typeof openClient>[1] = {},
  onRequest?: (request: Json) => Json,
  definition: Parameters<typeof taskServer>[0] = {},
) {
  const fixture = taskServer(definition);
  const client = openClient(fixture.server, more, onRequest);
  const hello = handshake('2025-11-25');
  const params = { ...(hello.params as Json), capabilities };
  const { result } = await client.ask('initialize', params);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = (name: string, given: Json = {}, task: Json | null = {}): Promise<Json> =>
    client.ask('tools/call', { name, arguments: given, ...(task && { task }) });
  const start = async (name: string, given: Json = {}, task: Json = {}): Promise<Json> =>
    resultOf(await call(name, given, task)).task as Json;
  return { ...fixture, ...client, initialized: result as Json, call, start };
}

describe('a server of 2025-11-25 with tools that run as tasks', () => {
  it('declares for which requests, and that tasks can be listed and cancelled [s-tasks-01, s-tasks-05]', async () => {
    const { initialized, ask } = await open();
    expect((initialized.capabilities as Json).tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const { tools } = resultOf(await ask('tools/list')) as { tools: Json[] };
    expect(tools.map(({ name, execution }) => [name, execution])).toEqual([
      ['plain', undefined],
      ['report', { taskSupport: 'optional' }],
      ['required', { taskSupport: 'required' }],
      ['failing', { taskSupport: 'optional' }],
      ['greet', { taskSupport: 'optional' }],
      ['held', { taskSupport: 'optional' }],
    ]);
  });

  it('answers a call as a task with the task, which is working, under an id of its own [s-tasks-24, s-tasks-25, s-tasks-26, s-tasks-27, s-tasks-36, s-tasks-37, s-tasks-42]', async () => {
    const { start } = await open();
    const one = await start('report', { n: 1 });
    const two = await start('report', { n: 1 });
    expect(one).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f]{33}$/),
      status: 'working',
      createdAt: isoDate,
      lastUpdatedAt: isoDate,
      ttl: 3_600_000,
      pollInterval: 1000,
    });
    expect(two.taskId).not.toBe(one.taskId);
  });

  it('answers tasks/result with what the plain call would have answered, and names the task [s-tasks-44, s-tasks-46, s-tasks-47, s-tasks-53]', async () => {
    const { start, ask, call } = await open();
    const { taskId } = await start('report', { n: 3 });
    const plain = resultOf(await call('report', { n: 3 }, null));
    const result = resultOf(await ask('tasks/result', { taskId }));
    expect(result).toEqual({ ...plain, _meta: { [related]: { taskId } } });
    expect(resultOf(await ask('tasks/get', { taskId }))).toMatchObject({ taskId, status: 'completed' });
  });

  it('lets tasks/result wait until the task is over [s-tasks-45]', async () => {
    const { start, ask, release } = await open();
    const { taskId } = await start('held');
    const waiting = ask('tasks/result', { taskId });
    release();
    expect(resultOf(await waiting).content).toEqual([{ type: 'text', text: 'released' }]);
  });

  it('rejects a plain call of a tool that needs a task, and a task of a tool that has none [s-tasks-08, s-tasks-11]', async () => {
    const { call } = await open();
    expect(codeOf(await call('required', {}, null))).toBe(-32601);
    expect(codeOf(await call('plain', {}, {}))).toBe(-32601);
    expect(resultOf(await call('plain', {}, null)).content).toEqual([{ type: 'text', text: 'at once' }]);
  });

  it('reports invalid arguments at once, without a task', async () => {
    const { call, ask } = await open();
    expect(resultOf(await call('report', { n: 'many' }))).toMatchObject({ isError: true });
    expect(resultOf(await ask('tasks/list')).tasks).toEqual([]);
  });

  it('reports the ttl that it stores the task for [s-tasks-12, s-tasks-39]', async () => {
    const { start, ask } = await open();
    const { taskId, ttl } = await start('report', { n: 1 }, { ttl: 900_000 });
    expect(ttl).toBe(900_000);
    await ask('tasks/result', { taskId });
    const { ttl: later } = resultOf(await ask('tasks/get', { taskId }));
    expect(later).toBeGreaterThanOrEqual(900_000);
  });

  it('shows a task whose tool reports an error as failed, and the result has the error', async () => {
    const { start, ask } = await open();
    const { taskId } = await start('failing');
    expect(resultOf(await ask('tasks/result', { taskId }))).toMatchObject({ isError: true });
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('failed');
  });

  it('cancels a task before it answers, and aborts its handler; a task that is over cannot be cancelled [s-tasks-59, s-tasks-60, s-tasks-61, s-tasks-62]', async () => {
    const { start, ask, aborted, release } = await open();
    const { taskId } = await start('held');
    const cancelled = await ask('tasks/cancel', { taskId });
    expect(resultOf(cancelled)).toMatchObject({ taskId, status: 'cancelled' });
    await aborted;
    release();
    expect(resultOf(await ask('tasks/get', { taskId })).status).toBe('cancelled');
    expect(codeOf(await ask('tasks/cancel', { taskId }))).toBe(-32602);
    expect(codeOf(await ask('tasks/result', { taskId }))).toBeTypeOf('number');
  });

  it('answers unknown tasks and invalid cursors with -32602 [s-tasks-65, s-tasks-66]', async () => {
    const { ask } = await open();
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(codeOf(await ask(method, { taskId: 'none' }))).toBe(-32602);
    expect(codeOf(await ask('tasks/list', { cursor: 'x' }))).toBe(-32602);
  });

  it('lists the tasks of its caller, page by page [s-tasks-56, s-tasks-58]', async () => {
    const { start, ask } = await open({}, {}, undefined, { pageSize: 2 });
    const made: unknown[] = [];
    for (let n = 0; n < 5; n++) made.push((await start('report', { n })).taskId);
    const listed: unknown[] = [];
    let cursor: unknown;
    do {
      const page = resultOf(await ask('tasks/list', cursor === undefined ? {} : { cursor }));
      listed.push((page.tasks as Json[]).map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(listed).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
  });

  it('requires input by its own requests while the client waits for the result, and each names the task [s-tasks-32, s-tasks-33, s-tasks-35, s-tasks-48]', async () => {
    const requests: Json[] = [];
    const { start, ask } = await open({ elicitation: {} }, {}, (request) => {
      requests.push(request);
      return { action: 'accept', content: { name: 'Ann' } };
    });
    const { taskId } = await start('greet');
    const result = resultOf(await ask('tasks/result', { taskId }));
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    expect(requests).toMatchObject([
      { method: 'elicitation/create', params: { message: 'Who?', _meta: { [related]: { taskId } } } },
    ]);
  });

  it('takes the id in the params, whatever related task the request names [s-tasks-49, s-tasks-51]', async () => {
    const { start, ask } = await open();
    const { taskId } = await start('report', { n: 1 });
    const _meta = { [related]: { taskId: 'another' } };
    for (const method of ['tasks/result', 'tasks/get'])
      expect(await ask(method, { taskId, _meta })).toHaveProperty('result');
  });

  it('gives the same task for the same idempotency key', async () => {
    const { ask } = await open();
    const params = {
      name: 'report',
      arguments: { n: 1 },
      task: {},
      _meta: { 'dev.tenon/idempotency-key': 'k' },
    };
    const [one, two] = [await ask('tools/call', params), await ask('tools/call', params)];
    expect((resultOf(two).task as Json).taskId).toBe((resultOf(one).task as Json).taskId);
    const other = await ask('tools/call', { ...params, arguments: { n: 2 } });
    expect(codeOf(other)).toBe(-32602);
  });
});

describe('a server whose tools never run as tasks', () => {
  it('ignores that a call asks for one, and knows no methods for tasks [s-tasks-22, s-tasks-04]', async () => {
    const { createServer, tool } = await import('tenon');
    const server = createServer({ name: 'plain', version: '1', tools: { plain: tool({}, () => 'at once') } });
    const { ask } = openClient(server);
    const { params } = handshake('2025-11-25');
    const { result } = await ask('initialize', params as Json);
    expect((result as Json).capabilities).not.toHaveProperty('tasks');
    const called = resultOf(await ask('tools/call', { name: 'plain', task: { ttl: 1000 } }));
    expect(called.content).toEqual([{ type: 'text', text: 'at once' }]);
    expect(codeOf(await ask('tasks/get', { taskId: 'x' }))).toBe(-32601);
  });
});

describe('tasks of callers over HTTP that cannot be distinguished', () => {
  it('are not listed, and the capability is not declared [s-tasks-58, s-tasks-78]', async () => {
    const { toFetchHandler } = await import('tenon');
    const { server } = taskServer();
    const handler = toFetchHandler(server);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const post = (body: Json, more: Record<string, string> = {}): Promise<Response> =>
      handler(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        }),
      );
    const hello = await post(handshake('2025-11-25'));
    const { result } = (await hello.json()) as { result: { capabilities: Json } };
    expect(result.capabilities.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    const session = {
      'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
    const listed = await post({ id: 2, method: 'tasks/list' }, session);
    expect(codeOf((await listed.json()) as Json)).toBe(-32601);
    await handler.close();
  });
});
