/** A server without sessions: clients of session revisions are served, except for methods that need a session. */

import { createServer, serveHttp } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, initialize, notification, request, sessionRevisions } from '../../../kit/http/messages.ts';
import { type Json, open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { serveGreetings } from '../../../kit/samples/greetings-extension.ts';
import { isSince } from '../../../kit/version-order.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const stateless = () => serve({ sessions: false });

describe.each(sessionRevisions)('a client of %s at a server without sessions', (revision) => {
  const headers = isSince(revision, '2025-06-18') ? { 'mcp-protocol-version': revision } : {};

  it('gets no session id, and only the capabilities that work without a session', async () => {
    const { url, stats } = await stateless();
    const handshake = await send(url, { body: initialize(revision, { elicitation: {} }) });
    expect(handshake.headers).not.toHaveProperty('mcp-session-id');
    const { capabilities, protocolVersion } = handshake.json.result as Record<string, unknown>;
    expect(protocolVersion).toBe(revision);
    expect(capabilities).toEqual({ tools: {}, resources: {}, prompts: {} });
    expect(await send(url, { headers, body: notification('notifications/initialized') })).toMatchObject({
      status: 202,
      text: '',
    });
    expect(stats().sessions).toBe(0);
  });

  it('gets no extension declared that would not work', async () => {
    const service = await serveHttp(createServer({ name: 's', version: '1', extensions: [serveGreetings()] }), {
      port: 0,
      sessions: false,
    });
    onTestFinished(() => service.close());
    const declared = { extensions: { 'com.example/greetings': {} } };
    const handshake = await send(service.url, { body: initialize(revision, declared) });
    expect((handshake.json.result as Json).capabilities).toEqual({});
    const answer = await send(service.url, { headers, body: request('greetings/hello', { name: 'Ada' }) });
    expect(answer.json).toMatchObject({ error: { code: -32601 } });
  });

  it('can call, list and ping without a handshake', async () => {
    const { url } = await stateless();
    for (const body of [call('echo', { text: 'x' }), request('tools/list'), request('ping'), request('prompts/list')])
      expect(await send(url, { headers, body })).toMatchObject({ status: 200, json: { id: 1, result: {} } });
  });

  it.each([
    ['without a principal', {}],
    ['with a principal', { authenticate: () => 'ada' }],
  ])('gets progress on the stream of the call, %s', async (_name, options) => {
    const { url } = await serve({ sessions: false, ...options });
    const stream = await open(url, { headers, body: call('count', { to: 2 }, 7, { progressToken: 1 }) });
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages().map(({ method, id }) => method ?? id)).toEqual([
      ...Array(2).fill('notifications/progress'),
      7,
    ]);
  });

  it('cannot use methods and server requests that need a session', async () => {
    const { url } = await stateless();
    for (const body of [
      request('logging/setLevel', { level: 'info' }),
      request('resources/subscribe', { uri: 'note://one' }),
      request('resources/unsubscribe', { uri: 'note://one' }),
    ])
      expect((await send(url, { headers, body })).json).toMatchObject({ error: { code: -32601 } });
    const eliciting = await send(url, { headers, body: call('greet') });
    expect(eliciting.json).toMatchObject({ error: { data: { requiredCapabilities: { elicitation: { form: {} } } } } });
  });

  it('gets 405 for GET and DELETE [s-http-31, s-http-59]', async () => {
    const { url } = await stateless();
    for (const method of ['GET', 'DELETE'])
      expect(await send(url, { method, headers: { ...headers, accept: 'text/event-stream' } })).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
      });
  });
});

it('a client without any of the headers is treated as one of 2025-03-26 [s-http-62, e-http-34]', async () => {
  const { url } = await stateless();
  const answer = await send(url, { headers: { accept: undefined }, body: call('echo', { text: 'x' }) });
  expect(answer).toMatchObject({ status: 200, json: { result: { content: [{ text: 'x' }] } } });
});
