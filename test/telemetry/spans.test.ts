/** Spans of calls on both sides: their names, attributes, status and parents. */
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { createServer, prompt, resource, resourceTemplate, rpcError, type ServerOptions, tool } from 'tenon';
import { clientTelemetry, serverTelemetry } from 'tenon/telemetry';
import { createFakeClock, createTestConnection, protocolVersions } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { versionsFrom } from '../kit/version-order.ts';
import { collect } from './collector.ts';

const collector = collect();
const requestingSessions = versionsFrom('2025-06-18', '2025-11-25');
const exchange = '2026-07-28';

function traced(options: ServerOptions = {}) {
  return createServer(
    {
      name: 'traced',
      version: '1',
      tools: {
        add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) => {
          await Promise.resolve();
          return trace.getTracer('author').startActiveSpan('inner', (span) => {
            span.end();
            return `${a + b}`;
          });
        }),
        broken: tool({}, () => {
          throw new Error('a secret');
        }),
        refused: tool({}, () => {
          throw rpcError('permission-denied', 'Forbidden');
        }),
        greet: tool({}, async (_given, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Your name?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `Hello, ${answer.content.name}` : answer.action;
        }),
      },
      resources: {
        'note://one': resource({ name: 'one' }, () => 'first'),
        'note://broken': resource({ name: 'broken' }, () => {
          throw new Error('a secret');
        }),
      },
      resourceTemplates: {
        'note://{id}/part': resourceTemplate({ name: 'part', complete: { id: () => ['a'] } }, ({ id }) => id),
      },
      prompts: {
        plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Oslo'] } }, () => 'Plan'),
      },
    },
    {
      onError: () => {},
      secrets: ['a secret of sixteen and more'],
      middleware: [serverTelemetry()],
      ...options,
    },
  );
}

const open = (revision: (typeof protocolVersions)[number], options = {}) =>
  createTestConnection(traced(), {
    protocolVersion: revision,
    telemetry: clientTelemetry(),
    alwaysReplay: false,
    ...options,
  });

describe.each(protocolVersions)('under %s', (revision) => {
  it('a call is one trace: the client span is the parent of the server span, which is the parent of spans in the handler', async () => {
    await using trial = await open(revision);
    await trial.client.tools.call('add', { a: 1, b: 2 });
    const inner = collector.spans().find(({ name }) => name === 'inner');
    const served = collector.served().at(-1);
    const sent = collector.sent().at(-1);
    expect([sent?.name, served?.name]).toEqual(['tools/call add', 'tools/call add']);
    expect(sent?.parentSpanContext).toBeUndefined();
    expect(served?.parentSpanContext).toMatchObject({ spanId: sent?.spanContext().spanId, isRemote: true });
    expect(inner?.parentSpanContext?.spanId).toBe(served?.spanContext().spanId);
    expect(served?.links).toEqual([]);
    expect(new Set([inner, served, sent].map((span) => span?.spanContext().traceId)).size).toBe(1);
  });

  it('a span has the method, tool, protocol version and request id, and no arguments', async () => {
    await using trial = await open(revision);
    await trial.client.tools.call('add', { a: 1, b: 41_414_141 });
    const frame = trial.messages.findLast(({ message }) => JSON.stringify(message).includes('tools/call'));
    const attributes = {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': revision,
      'gen_ai.tool.name': 'add',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': String((frame?.message as { id?: unknown } | undefined)?.id),
    };
    for (const span of [collector.served().at(-1), collector.sent().at(-1)]) {
      expect(span?.attributes).toEqual(attributes);
      expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    }
  });

  it('a resource is named by an attribute only, a prompt by an attribute and the span name', async () => {
    await using trial = await open(revision);
    await trial.client.resources.read('note://one');
    await trial.client.prompts.get('plan', { city: 'Oslo' });
    await trial.client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: 'O' });
    await trial.client.complete({ type: 'ref/resource', uri: 'note://{id}/part' }, { name: 'id', value: '' });
    const spans = collector
      .served()
      .map(({ name, attributes }) => [name, attributes['mcp.resource.uri'], attributes['gen_ai.prompt.name']]);
    expect(spans).toEqual([
      ['resources/read', 'note://one', undefined],
      ['prompts/get plan', undefined, 'plan'],
      ['completion/complete plan', undefined, 'plan'],
      ['completion/complete', undefined, undefined],
    ]);
    expect(JSON.stringify(collector.spans().map(({ attributes }) => attributes))).not.toContain('Oslo');
  });

  it('a failed tool is a tool_error on both sides', async () => {
    await using trial = await open(revision);
    await trial.client.tools.call('broken');
    for (const span of [collector.served().at(-1), collector.sent().at(-1)]) {
      expect(span?.attributes).toMatchObject({ 'error.type': 'tool_error' });
      expect(span?.status).toEqual({ code: SpanStatusCode.ERROR });
    }
  });

  it('an error of the server has its code and message on both sides, and nothing of the error that was thrown', async () => {
    await using trial = await open(revision);
    await expect(trial.client.resources.read('note://broken')).rejects.toMatchObject({ code: -32_603 });
    for (const span of [collector.served().at(-1), collector.sent().at(-1)]) {
      expect(span?.attributes).toMatchObject({ 'error.type': '-32603', 'rpc.response.status_code': '-32603' });
      expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'Internal error' });
    }
    expect(JSON.stringify(collector.spans().map(({ status, events }) => [status, events]))).not.toContain('secret');
  });

  it('an error of the client is an error on the client span only, and an unknown tool name is not in the span name', async () => {
    await using trial = await open(revision);
    const failure = await trial.client
      .request('tools/call', { name: 'made-up', arguments: {} })
      .catch((error) => error);
    const [served, sent] = [collector.served().at(-1), collector.sent().at(-1)];
    expect(served?.name).toBe('tools/call');
    expect(served?.attributes).toMatchObject({ 'rpc.response.status_code': String(failure.code) });
    expect(served?.status.code).toBe(SpanStatusCode.UNSET);
    expect(sent?.status.code).toBe(SpanStatusCode.ERROR);
  });
});

it.each(requestingSessions)(
  'a call that requests input is one span under %s, as it is one request',
  async (revision) => {
    await using trial = await open(revision, { handlers: { elicitForm: [{ name: 'Ada' }] } });
    await trial.client.tools.call('greet');
    expect(collector.served().map(({ name }) => name)).toEqual(['tools/call greet']);
  },
);

it('in the exchange lifecycle, a call that requests input has a span for every round on both sides', async () => {
  await using trial = await open(exchange, { handlers: { elicitForm: [{ name: 'Ada' }] } });
  await trial.client.tools.call('greet');
  const rounds = collector.served().map(({ attributes }) => attributes['tenon.call.round']);
  expect(rounds).toEqual([undefined, 1]);
  const sent = collector.sent().filter(({ name }) => name === 'tools/call greet');
  expect(sent.map((span) => span.spanContext().spanId)).toEqual(
    collector.served().map(({ parentSpanContext }) => parentSpanContext?.spanId),
  );
});

it('the parent of a client span is the span that is active where the client calls', async () => {
  await using trial = await open(exchange);
  await trial.client.tools.list().all();
  const outer = await trace.getTracer('caller').startActiveSpan('outer', async (span) => {
    await trial.client.tools.call('add', { a: 1, b: 2 });
    span.end();
    return span.spanContext();
  });
  expect(collector.sent().at(-1)?.parentSpanContext?.spanId).toBe(outer.spanId);
  expect(collector.served().at(-1)?.spanContext().traceId).toBe(outer.traceId);
});

it('in one process, the trace context of the message is the parent, and the active span is linked', async () => {
  const server = traced();
  await using trial = await createTestConnection(server, { protocolVersion: exchange });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const around = await trace.getTracer('caller').startActiveSpan('around', async (span) => {
    await trial.client.tools.call('add', { a: 1, b: 2 }, { meta: { traceparent, baggage: 'tenant=a' } });
    span.end();
    return span.spanContext();
  });
  const served = collector.served().at(-1);
  expect(served?.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true });
  expect(served?.links.map(({ context }) => context.spanId)).toEqual([around.spanId]);
});

it('a trace context that the caller sets in _meta is not replaced', async () => {
  await using trial = await open(exchange);
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await trial.client.tools.call('add', { a: 1, b: 2 }, { meta: { traceparent } });
  expect(collector.served().at(-1)?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
});

it('a call without trace context begins a trace', async () => {
  await using trial = await createTestConnection(traced(), { protocolVersion: exchange });
  await trial.client.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
  expect(collector.served().at(-1)?.parentSpanContext).toBeUndefined();
});

it('a call that its client cancels has the error type cancelled, and is not an error of the server', async () => {
  const begun = deferred();
  const held = deferred();
  const ended = deferred();
  const slow = tool({}, async () => {
    begun.resolve();
    await held.promise;
    return 'late';
  });
  const last = serverTelemetry();
  const server = createServer(
    { name: 'slow', version: '1', tools: { slow } },
    {
      middleware: [
        async (call, next) => {
          try {
            return await last(call, next);
          } finally {
            if (call.target === 'slow') ended.resolve();
          }
        },
      ],
    },
  );
  await using trial = await createTestConnection(server, { protocolVersion: exchange, telemetry: clientTelemetry() });
  const controller = new AbortController();
  const call = trial.client.tools.call('slow', {}, { signal: controller.signal });
  await begun.promise;
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await trial.client.tools.list().all();
  held.resolve();
  await ended.promise;
  const served = collector.served().find(({ name }) => name === 'tools/call slow');
  expect(served?.attributes).toMatchObject({ 'error.type': 'cancelled' });
  expect(served?.status.code).toBe(SpanStatusCode.UNSET);
  expect(collector.sent().find(({ name }) => name === 'tools/call slow')?.attributes).toMatchObject({
    'error.type': 'cancelled',
  });
});

it('a subscription is one span that ends with it, and closing it is not an error', async () => {
  await using trial = await open(exchange);
  const changes = await trial.client.subscribe({ toolsListChanged: true });
  expect(collector.served()).toEqual([]);
  await changes.close();
  await trial.client.tools.list().all();
  const served = collector.served().find(({ name }) => name === 'subscriptions/listen');
  expect(served?.status.code).toBe(SpanStatusCode.UNSET);
  expect(served?.attributes['error.type']).toBeUndefined();
});

it('a call that times out is an error of the server', async () => {
  const clock = createFakeClock();
  const begun = deferred();
  const slow = tool({ timeoutMs: 1000 }, () => {
    begun.resolve();
    return new Promise<string>(() => {});
  });
  const server = createServer(
    { name: 'slow', version: '1', tools: { slow } },
    { onError: () => {}, middleware: [serverTelemetry()] },
  );
  await using trial = await createTestConnection(server, { protocolVersion: exchange, clock });
  const call = trial.client.tools.call('slow').catch((error) => error);
  await begun.promise;
  clock.advance(1000);
  const { code } = await call;
  const served = collector.served().at(-1);
  expect(served?.attributes).toMatchObject({ 'error.type': String(code), 'gen_ai.tool.name': 'slow' });
  expect(served?.status.code).toBe(SpanStatusCode.ERROR);
});

it('connecting has a span too, and spans of a client have the kind CLIENT', async () => {
  await using trial = await open(exchange);
  expect(trial.protocolVersion).toBe(exchange);
  expect(collector.sent().map(({ name, kind }) => [name, kind])).toEqual([['server/discover', SpanKind.CLIENT]]);
});
