/** Clients of the founding documents over HTTP. */
import { describe, expect, it, vi } from 'vitest';
import { call, initialize, notification, request, startSession } from '../../kit/http/messages.ts';
import { type Headers, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const none: Headers = { accept: undefined };

/** As document 003 shows it. */
const listening = { method: 'GET', headers: { accept: 'text/event-stream', authorization: 'Bearer token123' } };
const toolsChanged =
  /^event: notification\nid: \S+\ndata: \{"jsonrpc":"2.0","method":"notifications\/tools\/list_changed"\}\n\n$/;

describe('a client of the founding documents', () => {
  it('posts without any header of the protocol and gets JSON, without a session [S20]', async () => {
    const { url, stats } = await serve();
    const answer = await send(url, {
      headers: { accept: undefined },
      body: call('echo', { text: 'hi' }),
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'hi' }] } });
    expect(stats().sessions).toBe(0);
  });

  it('opens a stream at /events, where events are named notification', async () => {
    const { url, server } = await serve();
    const session = await startSession(url, '2025-11-25');
    const stream = await open(`${url}/events`, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': session.id },
    });
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await stream.until(() => stream.messages().length > 0, 'the change');
    expect(stream.text()).toMatch(toolsChanged);
    stream.cut();
  });

  it('sends initialize, initialized and a request, all without any header of the protocol [S02] [S20]', async () => {
    const { url } = await serve();
    const post = (body: unknown) => send(url, { headers: none, body });
    expect((await post(initialize('2025-06-18'))).json).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
    expect(await post(notification('notifications/initialized'))).toMatchObject({ status: 202, text: '' });
    expect((await post(request('tools/list', undefined, 2))).json).toMatchObject({
      result: { tools: expect.any(Array) },
    });
  });

  it('gets JSON even if a call reports progress', async () => {
    const { url } = await serve();
    const answer = await send(url, { headers: none, body: call('count', { to: 2 }, 1, { progressToken: 'p' }) });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'counted to 2' }] } });
  });

  it.each(['*/*', ' */* '])(
    'that accepts anything (%j) is served like one without an Accept header [S20]',
    async (accept) => {
      const { url, stats } = await serve();
      const post = (body: unknown) => send(url, { headers: { accept }, body });
      for (const meta of [{}, { progressToken: 'p' }]) {
        const answer = await post(call('count', { to: 2 }, 1, meta));
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
        expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'counted to 2' }] } });
      }
      expect(await post(notification('notifications/initialized'))).toMatchObject({ status: 202, text: '' });
      expect(stats().sessions).toBe(0);
      expect((await post(initialize('2025-11-25'))).headers).toHaveProperty('mcp-session-id');
    },
  );

  it('gets an error that names Mcp-Session-Id for methods that need a session', async () => {
    const { url } = await serve();
    const handshake = await send(url, { headers: none, body: initialize('2025-03-26') });
    expect(handshake.json).toMatchObject({ result: { capabilities: { logging: {}, resources: { subscribe: true } } } });
    for (const body of [
      request('logging/setLevel', { level: 'info' }),
      request('resources/subscribe', { uri: 'note://one' }),
    ]) {
      const answer = await send(url, { headers: none, body });
      expect(answer).toMatchObject({
        status: 400,
        json: { id: 1, error: { code: -32600, message: expect.stringContaining('Mcp-Session-Id') } },
      });
      const headers = { ...none, 'mcp-session-id': String(handshake.headers['mcp-session-id']) };
      expect((await send(url, { headers, body })).json).toMatchObject({ id: 1, result: {} });
    }
  });

  it.each(['/events', '/events?since=1'])(
    'opens a stream at %s without a session, which ends when it disconnects [S20]',
    async (path) => {
      const { url, server, stats } = await serve({
        authenticate: ({ header }) => (header('authorization') === 'Bearer token123' ? 'issuer ada' : undefined),
      });
      const stream = await open(`${url}${path}`, listening);
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
      server.update((draft) => {
        delete draft.tools.fail;
      });
      await stream.until(() => stream.messages().length > 0, 'the change');
      expect(stream.text()).toMatch(toolsChanged);
      expect(stats()).toMatchObject({ sessions: 1, streams: 1 });
      stream.cut();
      await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0 }), 10_000);
      expect((await send(`${url}${path}`, { ...listening, headers: { accept: 'text/event-stream' } })).status).toBe(
        401,
      );
    },
  );

  it.each([undefined, '*/*'])('opens a stream at /events with Accept: %s [S20]', async (accept) => {
    const { url, server } = await serve();
    const { id } = await startSession(url, '2025-11-25');
    for (const named of [{}, { 'mcp-session-id': id }]) {
      const stream = await open(`${url}/events`, { method: 'GET', headers: { accept, ...named } });
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
      server.update((draft) => {
        delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
      });
      await stream.until(() => stream.messages().length > 0, 'the change');
      stream.cut();
    }
    const elsewhere = await open(url, { method: 'GET', headers: { 'mcp-session-id': id } });
    expect(elsewhere.status).toBe(406);
  });

  it('is rejected at /events for its Accept header, for its version, and when the sessions are full', async () => {
    const { url, stats } = await serve({ sessions: { maxCount: 1 } });
    const listen = (headers: Headers) => open(`${url}/events`, { method: 'GET', headers });
    expect((await listen({ accept: 'application/json' })).status).toBe(406);
    expect((await listen({ ...listening.headers, 'mcp-protocol-version': '2099-01-01' })).status).toBe(400);
    expect(stats().sessions).toBe(0);
    const stream = await listen(listening.headers);
    expect(await listen(listening.headers)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await send(url, listening)).status).toBe(400);
    stream.cut();
  });
});
