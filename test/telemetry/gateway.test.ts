/** Telemetry of a gateway: one trace through caller, gateway and upstream, with the name of the upstream. */
import { createServer, type ProtocolVersion, type Server, type ServerOptions, tool } from 'tenon';
import { clientTelemetry, serverTelemetry } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { clientOf, serving, upstreamAt } from '../gateway/command/serving.ts';
import { openClient, startGateway as start, textOf } from '../gateway/start.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { collect } from './collector.ts';

const collector = collect();

const upstream = (version: ProtocolVersion, options: ServerOptions = {}) => ({
  server: createServer(
    {
      name: 'u',
      version: '1.0.0',
      tools: {
        meta: tool({}, ({}, ctx) => JSON.stringify(ctx.meta)),
        ask: tool({}, async (_args, ctx) => {
          const { action } = await ctx.elicit('sure', { message: 'Sure?', schema: z.object({ yes: z.boolean() }) });
          return action;
        }),
      },
    },
    { middleware: [serverTelemetry({ attributes: { 'server.address': 'upstream' } })], ...options },
  ) as Server,
  protocolVersions: [version],
});

const versions = [newestSession.id as ProtocolVersion, exchangeVersion];
const crossings = versions.flatMap((caller) => versions.map((behind) => [caller, behind] as const));

describe.each(crossings)('A call of a caller at %s to an upstream at %s', (caller, behind) => {
  const traced = () =>
    start(
      { one: upstream(behind), two: upstream(behind) },
      {
        telemetry: clientTelemetry(),
        server: { middleware: [serverTelemetry({ attributes: { 'server.address': 'gateway' } })] },
      },
    );
  const open = (gateway: ReturnType<typeof traced>['gateway']) =>
    openClient(gateway.server, {
      protocolVersions: [caller],
      telemetry: clientTelemetry(),
      handlers: { elicitForm: () => ({ action: 'accept', content: { yes: true } }) },
    });

  it('is one trace: each side continues the span before it', async () => {
    const client = await open(traced().gateway);
    await client.tools.call('two__meta');
    const calls = collector.spans().filter(({ attributes }) => attributes['mcp.method.name'] === 'tools/call');
    const sent = calls.filter(({ attributes }) => 'tenon.upstream' in attributes);
    const [own] = collector.sent().filter(({ name }) => name === 'tools/call two__meta');
    const [through] = sent;
    const byAddress = (address: string) => calls.find(({ attributes }) => attributes['server.address'] === address);
    const [gateway, served] = [byAddress('gateway'), byAddress('upstream')];
    expect(sent).toHaveLength(1);
    expect(through).toMatchObject({ name: 'tools/call meta', attributes: { 'tenon.upstream': 'two' } });
    expect(gateway?.parentSpanContext?.spanId).toBe(own?.spanContext().spanId);
    expect(through?.parentSpanContext?.spanId).toBe(gateway?.spanContext().spanId);
    expect(served?.parentSpanContext?.spanId).toBe(through?.spanContext().spanId);
    expect(new Set(calls.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  it('stays one trace over its rounds', async () => {
    const client = await open(traced().gateway);
    collector.spans();
    expect(textOf(await client.tools.call('one__ask'))).toBe('accept');
    const served = collector.served().filter(({ name }) => name === 'tools/call ask');
    const gateway = collector.served().filter(({ name }) => name === 'tools/call one__ask');
    const traceIds = new Set(gateway.map((span) => span.spanContext().traceId));
    for (const span of served) expect(traceIds).toContain(span.spanContext().traceId);
  });
});

it('measures upstreams apart', async () => {
  const { gateway } = start(
    { one: upstream(exchangeVersion), two: upstream(exchangeVersion) },
    { telemetry: clientTelemetry() },
  );
  const client = await openClient(gateway.server);
  await client.tools.call('one__meta');
  const points = await collector.points('mcp.client.operation.duration');
  const upstreams = points.map(({ attributes }) => attributes['tenon.upstream']);
  expect(new Set(upstreams.filter((name) => name !== undefined))).toEqual(new Set(['one', 'two']));
});

it('without telemetry the trace context of the caller goes to the upstream as it is', async () => {
  const { gateway } = start({ one: upstream(exchangeVersion) });
  const client = await openClient(gateway.server);
  const traceparent = '00-33333333333333333333333333333333-4444444444444444-01';
  const result = await client.tools.call('meta', {}, { meta: { traceparent } });
  expect(JSON.parse(textOf(result))).toMatchObject({ traceparent });
});

it('of a file is that of the process', async () => {
  const one = await upstreamAt('one');
  const { url } = await serving(`listen: 127.0.0.1:0\ntelemetry: true\nupstreams:\n  one: { url: ${one.url} }\n`);
  const client = await clientOf(url);
  await client.tools.call('echo', {});
  expect(collector.served().map(({ name }) => name)).toContain('tools/call echo');
  const sent = collector.sent().find(({ name }) => name === 'tools/call echo');
  expect(sent?.attributes['tenon.upstream']).toBe('one');
});

it('is refused if it is none', () => {
  expect(() => start({ one: upstream(exchangeVersion) }, { telemetry: true as never })).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('clientTelemetry()') }),
  );
});
