/** Trace context and transport attributes of the spans of calls over HTTP and stdio. */
import { PassThrough } from 'node:stream';
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { connect, createServer, type ServerOptions, serveStdio, toFetchHandler, tool } from 'tenon';
import { clientTelemetry, serverTelemetry } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { call, loneCall, request, sessionRevisions, startSession } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serve } from '../kit/http/sample-server.ts';
import { collect } from './collector.ts';

const collector = collect();

const fromHeader = { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' };
const fromMeta = { traceparent: '00-33333333333333333333333333333333-4444444444444444-01' };

/** Returns the baggage that a handler sees. */
const tenant = tool({}, () => propagation.getBaggage(context.active())?.getEntry('tenant')?.value ?? 'none');
const traced: ServerOptions = { middleware: [serverTelemetry({ attributes: { 'server.address': 'here' } })] };
const served = () => serve({}, traced, { tools: { tenant } });

describe('the principal of a call', () => {
  const token = 'canary-4711';
  const scoped = tool({ scopes: ['write'] }, () => 'done');
  const start = (options: Parameters<typeof serverTelemetry>[0]) =>
    serve(
      { authenticate: () => ({ issuer: 'https://i.example', subject: 'ada' }) },
      { middleware: [serverTelemetry(options)] },
      { tools: { tenant, scoped } },
    );
  const post = (url: string, name: string) => {
    const { headers, body } = loneCall(name);
    return send(url, { body, headers: { ...headers, authorization: `Bearer ${token}` } });
  };

  it('is an attribute of its span if that is configured, and its token never [S22]', async () => {
    const { url } = await start({ enduserId: true });
    await post(url, 'tenant');
    await post(url, 'scoped');
    expect(collector.served().map(({ attributes }) => attributes['enduser.id'])).toEqual(['ada', 'ada']);
    expect(collector.served()[1]?.attributes).toMatchObject({ 'error.type': '-31433' });
    expect(
      JSON.stringify(collector.served().map(({ attributes, events, name }) => [attributes, events, name])),
    ).not.toContain(token);
  });

  it('is in no span by default', async () => {
    const { url } = await start({});
    await post(url, 'tenant');
    expect(JSON.stringify(collector.served()[0]?.attributes)).not.toContain('ada');
  });

  it('is configured by true or false', () => {
    expect(() => serverTelemetry({ enduserId: 'yes' as never })).toThrow(/enduserId/);
  });
});

describe('over HTTP a request without a session', () => {
  it('continues the trace of its headers if it has no trace context in _meta', async () => {
    const { url } = await served();
    const { headers, body } = loneCall('tenant');
    const answer = await send(url, { body, headers: { ...headers, ...fromHeader, baggage: 'tenant=a' } });
    expect(JSON.stringify(answer.json)).toContain('"a"');
    const span = collector.served()[0];
    expect(span?.parentSpanContext).toMatchObject({ spanId: '2222222222222222', isRemote: true });
    expect(span?.links).toEqual([]);
    expect(span?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2026-07-28',
      'gen_ai.tool.name': 'tenant',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': '1',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': 'here',
    });
  });

  it('continues the trace in its _meta, and links that of its headers', async () => {
    const { url } = await served();
    const { headers, body } = loneCall('tenant', {}, { ...fromMeta, baggage: 'tenant=b' });
    const answer = await send(url, { body, headers: { ...headers, ...fromHeader, baggage: 'tenant=a' } });
    expect(JSON.stringify(answer.json)).toContain('"b"');
    const span = collector.served()[0];
    expect(span?.parentSpanContext).toMatchObject({ spanId: '4444444444444444', isRemote: true });
    expect(span?.links.map((link) => link.context.spanId)).toEqual(['2222222222222222']);
  });

  it('begins a trace if its trace context is invalid', async () => {
    const { url } = await served();
    const { headers, body } = loneCall('tenant', {}, {});
    await send(url, { body, headers: { ...headers, traceparent: '00-zz-1-01' } });
    expect(collector.served()[0]?.parentSpanContext).toBeUndefined();
  });
});

it.each(sessionRevisions)(
  'over HTTP a call in a session of %s has the last characters of the session id, never the whole id',
  async (id) => {
    const { url } = await served();
    const session = await startSession(url, id);
    await session.post(call('tenant', {}, 7, fromMeta), fromHeader);
    const span = collector.served()[0];
    expect(span?.parentSpanContext?.spanId).toBe('4444444444444444');
    expect(span?.links.map((link) => link.context.spanId)).toEqual(['2222222222222222']);
    expect(span?.attributes).toMatchObject({
      'mcp.session.id': session.id.slice(-12),
      'mcp.protocol.version': id,
      'jsonrpc.request.id': '7',
      'network.transport': 'tcp',
    });
    expect(session.id.length).toBeGreaterThan(24);
    expect(JSON.stringify(span?.attributes)).not.toContain(session.id);
  },
);

it.each(['2025-11-25', '2026-07-28'] as const)(
  'over HTTP client and server share a trace under %s',
  async (revision) => {
    const { url } = await served();
    const client = await connect(url, { protocolVersions: [revision], telemetry: clientTelemetry() });
    await client.tools.call('tenant');
    await client.close();
    const sent = collector.sent().find(({ name }) => name === 'tools/call tenant');
    expect(collector.served()[0]?.parentSpanContext).toMatchObject({
      spanId: sent?.spanContext().spanId,
      isRemote: true,
    });
    expect(collector.served()[0]?.attributes['jsonrpc.request.id']).toBe(sent?.attributes['jsonrpc.request.id']);
  },
);

it('middleware can read the headers of a request, except credentials', async () => {
  const seen: Array<string | undefined> = [];
  const names = ['x-tenant', 'authorization', 'cookie', 'proxy-authorization', 'mcp-session-id'];
  const server = createServer(
    { name: 'headers', version: '1', tools: { tenant } },
    {
      middleware: [
        (called, next) => {
          seen.push(...names.map((name) => called.ctx.request.header(name)));
          return next();
        },
      ],
    },
  );
  const { headers, body } = loneCall('tenant');
  const secret = { authorization: 'Bearer secret', cookie: 'a=secret', 'proxy-authorization': 'Basic secret' };
  const sent = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...headers, ...secret, 'x-tenant': 'a', 'content-type': 'application/json' } as Record<string, string>,
    body: JSON.stringify(body),
  });
  const answer = await toFetchHandler(server)(sent);
  expect(answer.status).toBe(200);
  expect(seen).toEqual(['a', undefined, undefined, undefined, undefined]);
});

it('over stdio the transport of a span is pipe', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = createServer({ name: 'piped', version: '1', tools: { tenant } }, traced);
  const service = serveStdio(server, { stdin: input, stdout: output });
  const answered = new Promise((resolve) => output.once('data', resolve));
  input.write(`${JSON.stringify({ ...loneCall('tenant', {}, fromMeta).body, id: 'seven' })}\n`);
  await answered;
  await service.close();
  const span = collector.served()[0];
  expect(span?.parentSpanContext?.spanId).toBe('4444444444444444');
  expect(span?.attributes).toMatchObject({ 'network.transport': 'pipe', 'jsonrpc.request.id': 'seven' });
  expect(span?.attributes['network.protocol.name']).toBeUndefined();
});

it('the active span of a framework is the parent of a call without trace context in _meta', async () => {
  const server = createServer({ name: 'framed', version: '1', tools: { tenant } }, traced);
  const handle = toFetchHandler(server);
  const { headers, body } = loneCall('tenant');
  const framed = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...headers, ...fromHeader, 'content-type': 'application/json' } as Record<string, string>,
    body: JSON.stringify(body),
  });
  const frame = await trace.getTracer('framework').startActiveSpan('POST', async (span) => {
    await handle(framed);
    span.end();
    return span.spanContext();
  });
  expect(collector.served()[0]?.parentSpanContext?.spanId).toBe(frame.spanId);
});

it('an error has the code that the client gets in its protocol version', async () => {
  const { url } = await served();
  const session = await startSession(url, '2025-06-18');
  const answer = await session.post(request('resources/read', { uri: 'note://none' }));
  const { code } = (answer.json as { error: { code: number } }).error;
  const span = collector.served()[0];
  expect(span?.attributes).toMatchObject({ 'rpc.response.status_code': String(code), 'error.type': String(code) });
  expect(span?.status.code).toBe(code === -32_002 ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
});
