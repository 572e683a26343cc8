/** Bare HTTP as document 003 draws it: a token, no session header, and a stream at /mcp/events. */
import { createServer, resource, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { type Json, open, send } from '../../kit/http/raw-http.ts';

async function served() {
  const held = deferred();
  const server = createServer({
    name: 'files',
    version: '1.0.0',
    tools: {
      count: tool({ inputSchema: z.object({ to: z.number() }) }, ({ to }, ctx) => {
        for (let at = 1; at <= to; at++) ctx.reportProgress(at, to);
        ctx.log('debug', 'counted');
        return 'counted';
      }),
      batch: tool({ task: 'optional' }, () => 'processed'),
      held: tool({ task: 'optional' }, async (_, { signal }) => {
        await Promise.race([held.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
        return 'released';
      }),
    },
    resources: { 'file:///config/app.json': resource({ name: 'config' }, () => '{}') },
  });
  const tokens: Record<string, string> = { 'Bearer token123': 'issuer ada', 'Bearer other': 'issuer bob' };
  const http = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => tokens[header('authorization') ?? ''],
  });
  onTestFinished(() => http.close());
  /** As the document shows it: no header but these. */
  const post = async (method: string, params?: Json, token = 'token123'): Promise<Json> => {
    const headers = { accept: undefined, authorization: `Bearer ${token}` };
    return (await send(http.url, { headers, body: { jsonrpc: '2.0', id: 1, method, params } })).json as Json;
  };
  const events = (token = 'token123') =>
    open(`${http.url}/events`, {
      method: 'GET',
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
    });
  return { server, http, post, events };
}
const uri = 'file:///config/app.json';

it('subscribes and unsubscribes, and /mcp/events carries resources/updated [S20]', async () => {
  const { server, post, events } = await served();
  expect(await post('resources/subscribe', { uri })).toMatchObject({ id: 1, result: {} });
  const stream = await events();
  const others = await events('other');
  server.sendResourceUpdated(uri);
  await stream.until(() => stream.messages().length > 0, 'the update');
  expect(stream.text()).toContain('event: notification\n');
  expect(stream.messages()).toMatchObject([{ method: 'notifications/resources/updated', params: { uri } }]);
  expect(await post('resources/unsubscribe', { uri })).toMatchObject({ result: {} });
  server.sendResourceUpdated(uri);
  server.log('info', 'after');
  await stream.until(() => stream.messages().length > 1, 'the log message');
  await others.until(() => others.messages().length > 0, 'the log message');
  expect(stream.messages().map(({ method }) => method)).toEqual([
    'notifications/resources/updated',
    'notifications/message',
  ]);
  expect(others.messages()).toMatchObject([{ method: 'notifications/message' }]);
  stream.cut();
  others.cut();
});

it('keeps its subscriptions when its stream breaks [S20]', async () => {
  const { server, post, events } = await served();
  const first = await events();
  expect(await post('resources/subscribe', { uri })).toMatchObject({ result: {} });
  first.cut();
  const second = await events();
  server.sendResourceUpdated(uri);
  await second.until(() => second.messages().length > 0, 'the update');
  expect(second.messages()).toMatchObject([{ method: 'notifications/resources/updated' }]);
  second.cut();
});

it('gets the progress of its calls at /mcp/events, and logs from the level that it sets [S20]', async () => {
  const { post, events } = await served();
  expect(await post('logging/setLevel', { level: 'debug' })).toMatchObject({ result: {} });
  const stream = await events();
  const params = { name: 'count', arguments: { to: 2 }, _meta: { progressToken: 'p' } };
  expect(await post('tools/call', params)).toMatchObject({ result: { content: [{ text: 'counted' }] } });
  await stream.until(() => stream.text().includes('counted'), 'the log message');
  expect(stream.messages()).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    { method: 'notifications/progress', params: { progress: 2 } },
    { method: 'notifications/message', params: { level: 'debug', data: 'counted' } },
  ]);
  stream.cut();
});

it('creates, reads, lists and cancels tasks, which /mcp/events reports [S20] [S18]', async () => {
  const { post, events } = await served();
  const stream = await events();
  const description = 'Process user records in batches';
  const created = await post('tasks/create', { name: 'batch', description, parameters: {} });
  const { taskId } = created.result as { taskId: string };
  await stream.until(() => stream.text().includes('notifications/tasks/completed'), 'the end of the task');
  expect(await post('tasks/get', { taskId })).toMatchObject({ result: { taskId, status: 'completed' } });
  expect(await post('tasks/list')).toMatchObject({ result: { tasks: [{ taskId, status: 'completed', description }] } });
  expect(await post('tasks/list', undefined, 'other')).toMatchObject({ result: { tasks: [] } });
  expect(await post('tasks/get', { taskId }, 'other')).toMatchObject({ error: { code: -32602 } });
  const running = (await post('tasks/create', { name: 'held', parameters: {} })).result as { taskId: string };
  expect(await post('tasks/cancel', { taskId: running.taskId })).toMatchObject({
    result: { taskId: running.taskId, status: 'cancelled', cancelledAt: expect.any(String) },
  });
  stream.cut();
});

it.each([
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/cancel',
])('refuses %s without a principal with -32600, which names the session header [S20]', async (method) => {
  const http = await serveHttp(createServer({ name: 's', version: '1', tools: {} }), { port: 0 });
  onTestFinished(() => http.close());
  const body = { jsonrpc: '2.0', id: 1, method, params: { uri, level: 'info', taskId: 't' } };
  expect((await send(http.url, { headers: { accept: undefined }, body })).json).toMatchObject({
    error: { code: -32600, message: expect.stringContaining('Mcp-Session-Id') },
  });
});
