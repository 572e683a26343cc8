/** Telemetry of tasks: spans of creation and runs, how long tasks wait, and how many run or wait in a process. */
import type { Histogram } from '@opentelemetry/sdk-metrics';
import { serveHttp } from 'tenon';
import { observeStats, serverTelemetry } from 'tenon/telemetry';
import { expect, it, onTestFinished } from 'vitest';
import { lone } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { handshake, type Json } from '../kit/transport/raw-connection.ts';
import { openClient, resultOf, taskServer } from '../server/tasks/task-server.ts';
import { collect } from './collector.ts';

const collector = collect();

async function waitsIn(name: string): Promise<unknown[]> {
  const points = await collector.points(`tenon.server.task.${name}.duration`);
  return points.map(({ attributes, value }) => [
    attributes['gen_ai.tool.name'],
    attributes['tenon.task.run'],
    (value as Histogram).count,
  ]);
}

it('creation and each run of a task have spans of one trace with its id, and the waits before runs are measured', async () => {
  const { server } = taskServer({}, { middleware: [serverTelemetry()] });
  const { ask, send: post } = openClient(server, {}, () => ({ action: 'accept', content: { name: 'Ann' } }));
  await ask('initialize', { ...(handshake('2025-11-25').params as Json), capabilities: { elicitation: {} } });
  post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const { task } = resultOf(await ask('tools/call', { name: 'greet', arguments: {}, task: {}, _meta }));
  const { taskId } = task as Json;
  await ask('tasks/result', { taskId });
  const calls = collector.served().filter(({ name }) => name === 'tools/call greet');
  expect(calls.map(({ attributes }) => [attributes['tenon.task.id'], attributes['tenon.task.attempt']])).toEqual([
    [taskId, undefined],
    [taskId, 1],
    [taskId, 1],
  ]);
  expect(new Set(calls.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  expect(await waitsIn('queue')).toEqual([
    ['greet', 'first', 1],
    ['greet', 'resumed', 1],
  ]);
  expect(await waitsIn('input')).toEqual([['greet', undefined, 1]]);
});

it('stats() of a service has the tasks that run here, and those that wait for input since', async () => {
  const { server, release } = taskServer();
  const service = await serveHttp(server, { port: 0 });
  const stop = observeStats(service);
  onTestFinished(async () => {
    stop();
    release();
    await service.close();
  });
  expect(service.stats()).toMatchObject({ runningTasks: 0, waitingTasks: 0 });
  const declared = {
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {} },
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const start = async (name: string): Promise<unknown> => {
    const { json } = await send(service.url, lone('tools/call', { name, arguments: {} }, declared));
    return (json.result as Json).taskId;
  };
  const statusOf = async (taskId: unknown): Promise<unknown> => {
    const { headers, body } = lone('tasks/get', { taskId }, declared);
    const { json } = await send(service.url, { body, headers: { ...headers, 'mcp-name': String(taskId) } });
    return (json.result as Json).status;
  };
  await start('held');
  const greeting = await start('greet');
  while ((await statusOf(greeting)) === 'working');
  expect(service.stats()).toMatchObject({ runningTasks: 1, waitingTasks: 1 });
  expect((await collector.points('tenon.server.tasks'))[0]?.value).toBe(1);
  expect((await collector.points('tenon.server.waiting_tasks'))[0]?.value).toBe(1);
});

it('stats() of a service without tasks has no such numbers', async () => {
  const { createServer } = await import('tenon');
  const service = await serveHttp(createServer({ name: 'plain', version: '1' }), { port: 0 });
  onTestFinished(() => service.close());
  expect(service.stats()).not.toHaveProperty('runningTasks');
});
