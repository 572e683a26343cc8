/** Exchanges over HTTP: statuses, headers, JSON and streams. */

import { describe, expect, it, vi } from 'vitest';
import { alone, lone, loneCall, notification } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const version = 'io.modelcontextprotocol/protocolVersion';
const errorOf = (json: Record<string, unknown>) => json.error as { code: number; data?: Record<string, unknown> };

describe('a request of an exchange', () => {
  it('gets one JSON object if no notification precedes the response [e-http-01, e-http-15]', async () => {
    const { url } = await serve();
    const answer = await send(url, loneCall('echo', { text: 'häll\no 🌍' }));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'häll\no 🌍' }] } });
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  it('gets a stream if notifications precede the response: its notifications, the response, then the end [e-http-15, e-http-17, e-http-18, e-http-19, e-http-20, e-http-22]', async () => {
    const { url } = await serve();
    const response = await open(url, loneCall('count', { to: 3 }, { progressToken: 'mine' }, 7));
    expect(await withTimeout(response.ended, 'the end of the stream')).toBe(true);
    expect(response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    const messages = response.messages();
    expect(messages.map(({ method, id }) => method ?? id)).toEqual([...Array(3).fill('notifications/progress'), 7]);
    for (const { params } of messages.slice(0, 3)) expect(params).toMatchObject({ progressToken: 'mine' });
    expect(response.events().every(({ id }) => id === undefined)).toBe(true);
  });

  it('gets input_required instead of requests from the server [e-http-19, e-transport-03]', async () => {
    const { url } = await serve();
    const elicitingCall = loneCall(
      'greet',
      {},
      { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
    );
    const answer = await send(url, elicitingCall);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(answer.json).toMatchObject({ result: { resultType: 'input_required' } });
    const posted = await send(url, {
      headers: { 'mcp-protocol-version': alone },
      body: { jsonrpc: '2.0', id: 1, result: {} },
    });
    expect(posted.status).toBe(400);
  });

  it.each([
    ['no version in its header', { 'mcp-protocol-version': undefined }],
    ['another version in its header', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method in its header', { 'mcp-method': undefined }],
    ['another method in its header', { 'mcp-method': 'tools/list' }],
    ['the method in another case', { 'mcp-method': 'Tools/Call' }],
    ['no name in its header', { 'mcp-name': undefined }],
    ['another name in its header', { 'mcp-name': 'add' }],
    ['the name twice', { 'mcp-name': 'echo, echo' }],
  ])(
    'with %s gets 400 and -32020 [e-http-31, e-http-67, e-http-73, e-http-74, e-http-76, e-http-77, e-schema-01, e-schema-08]',
    async (_name, headers) => {
      const { url } = await serve();
      const right = loneCall('echo', { text: 'x' });
      const answer = await send(url, { ...right, headers: { ...right.headers, ...headers } });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32020 } });
    },
  );

  it('can have header names in any case [e-http-72]', async () => {
    const { url } = await serve();
    const { body } = loneCall('echo', { text: 'x' });
    const headers = { 'MCP-PROTOCOL-VERSION': alone, 'mCP-mETHOD': 'tools/call', 'McP-nAmE': 'echo' };
    expect(await send(url, { headers, body })).toMatchObject({ status: 200 });
  });

  it('with an unsupported version gets the supported versions [e-http-32, e-schema-09]', async () => {
    const { url } = await serve();
    const { headers, body } = lone('tools/list', {}, { [version]: '2099-01-01' });
    const answer = await send(url, { headers: { ...headers, 'mcp-protocol-version': '2099-01-01' }, body });
    expect(answer.status).toBe(400);
    expect(errorOf(answer.json)).toMatchObject({ code: -32022, data: { supported: [alone], requested: '2099-01-01' } });
  });

  it.each(['nothing/here', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'toString', '__proto__'])(
    'for %s gets 404 and -32601 [e-http-33]',
    async (method) => {
      const { url } = await serve();
      const answer = await send(url, lone(method));
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  it('without the required `_meta` gets 400 and -32602 [e-meta-11]', async () => {
    const { url } = await serve();
    const { headers, body } = lone('tools/list');
    const bare = await send(url, { headers, body: { ...body, params: {} } });
    expect([bare.status, errorOf(bare.json).code]).toEqual([400, -32602]);
    const meta = { [version]: alone };
    const half = await send(url, { headers, body: { ...body, params: { _meta: meta } } });
    expect([half.status, errorOf(half.json).code]).toEqual([400, -32602]);
  });

  it('that needs a capability that the client lacks gets 400 and -32021 [e-meta-15, e-schema-10, e-trust-04]', async () => {
    const { url } = await serve();
    const answer = await send(url, loneCall('greet'));
    expect(answer.status).toBe(400);
    expect(errorOf(answer.json)).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: expect.anything() } },
    });
  });

  it('that its method rejects gets 200', async () => {
    const { url } = await serve();
    const answer = await send(url, loneCall('nowhere'));
    expect([answer.status, errorOf(answer.json).code]).toEqual([200, -32602]);
    const failed = await send(url, loneCall('fail'));
    expect(failed).toMatchObject({ status: 200, json: { result: { isError: true } } });
    expect(failed.text).not.toContain('secret');
  });

  it('belongs to no session, and its session headers are ignored [e-http-25, e-http-86, e-http-87, e-version-16]', async () => {
    const { url } = await serve();
    const right = loneCall('echo', { text: 'x' });
    const headers = { ...right.headers, 'mcp-session-id': 'none', 'last-event-id': '1.1' };
    const answer = await send(url, { ...right, headers });
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  });

  it('in a batch is rejected', async () => {
    const { url } = await serve();
    const { headers, body } = loneCall('echo', { text: 'x' });
    expect(await send(url, { headers, body: [body] })).toMatchObject({
      status: 400,
      json: { error: { code: -32600 } },
    });
  });
});

describe('a client that disconnects', () => {
  it('cancels its call, and its stream and slot are released [e-http-26, e-http-27, e-http-28, e-cancel-04]', async () => {
    const { url, waits, aborted, stats, release } = await serve();
    const response = await open(url, loneCall('wait', {}, { progressToken: 1 }));
    await withTimeout(waits, 'the handler');
    expect(stats()).toMatchObject({ sessions: 0, streams: 1, activeCalls: 1 });
    response.cut();
    expect(await withTimeout(aborted, 'the handler to be aborted')).toBeDefined();
    // The call counts as active until its handler has returned.
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 1 });
    release();
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
  });

  it('cancels its call before the first notification, and later notifications open no stream [e-http-26, e-http-28]', async () => {
    const { url, waits, aborted, stats, release } = await serve();
    const caller = new AbortController();
    const { headers, body } = loneCall('wait');
    const requested = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
      body: JSON.stringify(body),
      signal: caller.signal,
    });
    await withTimeout(waits, 'the handler');
    caller.abort();
    await expect(requested).rejects.toMatchObject({ name: 'AbortError' });
    await withTimeout(aborted, 'the handler to be aborted');
    release();
    expect((await send(url, loneCall('echo', { text: 'still there' }))).status).toBe(200);
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });
});

describe('a notification of an exchange', () => {
  const cancelled = (meta?: object) =>
    notification('notifications/cancelled', { requestId: 1, ...(meta && { _meta: meta }) });

  it('gets 202 and no body [e-http-12]', async () => {
    const { url } = await serve();
    const headers = { 'mcp-protocol-version': alone };
    for (const body of [cancelled(), cancelled({ [version]: alone })])
      expect(await send(url, { headers, body })).toMatchObject({ status: 202, text: '' });
  });

  it('with an unsupported version gets 400 and an error without id [e-http-13, e-http-14]', async () => {
    const { url } = await serve();
    const wrong = [
      { headers: { 'mcp-protocol-version': '2099-01-01' }, body: cancelled() },
      { headers: { 'mcp-protocol-version': alone }, body: cancelled({ [version]: '2025-11-25' }) },
      { headers: {}, body: cancelled({ [version]: '2099-01-01' }) },
    ];
    for (const sent of wrong) {
      const answer = await send(url, sent);
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
    }
  });
});

describe('a server that supports only exchanges', () => {
  it('rejects a request without a version header with -32020 [e-http-35, e-http-77]', async () => {
    const { url } = await serve({}, { protocolVersions: [alone] });
    const { body, headers } = lone('tools/list');
    for (const params of [body.params, {}]) {
      const sent = { headers: { ...headers, 'mcp-protocol-version': undefined }, body: { ...body, params } };
      expect(await send(url, sent)).toMatchObject({ status: 400, json: { error: { code: -32020 } } });
    }
  });

  it('rejects GET and DELETE with 405 [e-http-85]', async () => {
    const { url } = await serve({}, { protocolVersions: [alone] });
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(url, { method, headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' } });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });
});
