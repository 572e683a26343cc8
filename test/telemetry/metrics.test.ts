/** Metrics: the duration and outcome of calls, the sessions, streams and calls of a service, and what it dropped. */
import type { Histogram } from '@opentelemetry/sdk-metrics';
import { createServer, serveHttp, tool } from 'tenon';
import { clientTelemetry, observeStats, serverTelemetry } from 'tenon/telemetry';
import { createTestConnection } from 'tenon/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startSession } from '../kit/http/messages.ts';
import { serve } from '../kit/http/sample-server.ts';
import { collect } from './collector.ts';

const collector = collect();

const tools = {
  add: tool({ inputSchema: z.object({ a: z.number() }) }, ({ a }) => `${a}`),
  broken: tool({}, () => {
    throw new Error('a secret');
  }),
};
const server = createServer(
  { name: 'measured', version: '1', tools },
  { onError: () => {}, middleware: [serverTelemetry()] },
);

/** How often each set of attributes was measured. */
async function countsOf(name: string): Promise<Record<string, number>> {
  const points = await collector.points(name);
  return Object.fromEntries(
    points.map(({ attributes, value }) => [
      [attributes['mcp.method.name'], attributes['gen_ai.tool.name'], attributes['error.type']]
        .filter(Boolean)
        .join(' '),
      (value as Histogram).count,
    ]),
  );
}

it('durations of calls are recorded in seconds by method, tool and error, on both sides, and never by an unknown tool name', async () => {
  await using trial = await createTestConnection(server, {
    protocolVersion: '2026-07-28',
    telemetry: clientTelemetry(),
  });
  const { client } = trial;
  await client.tools.call('add', { a: 1 });
  await client.tools.call('add', { a: 2 });
  await client.tools.call('broken');
  for (const name of ['made-up-1', 'made-up-2']) {
    await expect(client.request('tools/call', { name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  }
  await client.tools.list().all();
  expect(await countsOf('mcp.server.operation.duration')).toEqual({
    'tools/call add': 2,
    'tools/call broken tool_error': 1,
    'tools/call -32602': 2,
    'tools/list': 1,
  });
  expect(await countsOf('mcp.client.operation.duration')).toMatchObject({ 'tools/call add': 2, 'tools/list': 1 });
  const [point] = await collector.points('mcp.server.operation.duration');
  expect((point?.value as Histogram | undefined)?.buckets.boundaries).toEqual([
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
  ]);
  expect(point?.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2026-07-28',
    'gen_ai.tool.name': 'add',
    'gen_ai.operation.name': 'execute_tool',
  });
});

it('sessions, streams and active calls are observed at every collection, until observeStats is stopped', async () => {
  const service = await serve();
  const valueOf = async (name: string): Promise<unknown> => (await collector.points(name))[0]?.value;
  let reads = 0;
  const stats = () => {
    reads++;
    return service.stats();
  };
  const stop = observeStats({ stats }, { attributes: { 'server.address': 'here' } });
  expect(await valueOf('tenon.server.sessions')).toBe(0);
  const session = await startSession(service.url, '2025-11-25');
  const stream = await session.listen();
  const waiting = session.post({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'wait', arguments: {} },
  });
  await service.waits;
  const [sessions] = await collector.points('tenon.server.sessions');
  expect(sessions).toMatchObject({ value: 1, attributes: { 'server.address': 'here' } });
  expect(await valueOf('tenon.server.streams')).toBe(1);
  expect(await valueOf('tenon.server.calls')).toBe(1);
  service.release();
  await waiting;
  expect(await valueOf('tenon.server.calls')).toBe(0);
  await session.end();
  await stream.ended;
  expect(await valueOf('tenon.server.sessions')).toBe(0);
  stop();
  reads = 0;
  await collector.points('tenon.server.sessions');
  expect(reads).toBe(0);
});

it('dropped messages are counted by reason', async () => {
  const service = await serveHttp(server, { port: 0 });
  const stop = observeStats(service);
  const session = await startSession(service.url, '2025-11-25');
  await session.post('no message');
  await session.post({ jsonrpc: '2.0', method: 'notifications/made-up' });
  await session.post({ jsonrpc: '2.0', id: 9, result: {} });
  // The SDK still has the points of the previous test's service, with its attributes.
  const all = await collector.points('tenon.server.messages.dropped');
  const points = all.filter(({ attributes }) => attributes['server.address'] === undefined);
  expect(points.map(({ attributes, value }) => [attributes['tenon.drop.reason'], value])).toEqual([
    ['late', 0],
    ['unknown', 1],
    ['invalid', 2],
    ['slow', 0],
  ]);
  stop();
  await service.close();
});

it('a misspelt option, and a server instead of its service, are refused by name', () => {
  const misspelt = { trcer: {} } as object;
  const named = { code: 'invalid-argument', message: expect.stringContaining('Did you mean tracer?') };
  expect(() => serverTelemetry(misspelt)).toThrow(expect.objectContaining(named));
  expect(() => clientTelemetry(misspelt)).toThrow(expect.objectContaining(named));
  expect(() => observeStats(server as never)).toThrow('Pass the result of serveHttp');
});
