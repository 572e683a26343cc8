/** Sessions over HTTP, in every revision that has them: start, session id, owner and end. */

import { describe, expect, it } from 'vitest';
import { call, initialize, notification, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const versioned = ['2025-06-18', '2025-11-25'];

describe.each(sessionRevisions)('a session at %s', (revision) => {
  it('starts with the initialize result, which has its id in a header [s-http-49, s-http-51]', async () => {
    const { url, stats } = await serve();
    const { greeting, id } = await startSession(url, revision);
    expect(greeting).toMatchObject({ status: 200, json: { id: 'hello', result: { protocolVersion: revision } } });
    expect(id).toMatch(/^[\x21-\x7e]{32,}$/);
    expect(stats().sessions).toBe(1);
  });

  it('has an id that is unique and cannot be guessed [s-http-50, s-security-38]', async () => {
    const { url } = await serve();
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await startSession(url, revision)).id));
    expect(new Set(ids).size).toBe(50);
    for (let at = 0; at < 8; at++) expect(new Set(ids.map((id) => id[at])).size).toBeGreaterThan(5);
  });

  it('answers a request with one JSON object if no notification precedes it [s-http-13, s-http-13@2025-03-26]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const answer = await session.post(call('echo', { text: 'häll\no 🌍' }));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(answer.json).toMatchObject({ id: 1, result: { content: [{ text: 'häll\no 🌍' }] } });
    for (const method of ['tools/list', 'ping'])
      expect(await session.post(request(method))).toMatchObject({ status: 200, json: { result: {} } });
    const refused = await session.post(request('nothing/here'));
    expect(refused).toMatchObject({ status: 200, json: { error: { code: -32601 } } });
  });

  it('accepts notifications and responses with 202 and no body [s-http-10, s-http-10@2025-03-26]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    for (const body of [
      notification('notifications/initialized'),
      notification('notifications/cancelled', { requestId: 'none' }),
      { jsonrpc: '2.0', id: 'unknown', result: {} },
      { jsonrpc: '2.0', id: 'unknown', error: { code: -1, message: 'no' } },
    ])
      expect(await session.post(body)).toMatchObject({ status: 202, text: '' });
  });

  it('rejects invalid notifications and responses with an error without id [s-http-11, s-http-12, s-http-11@2025-03-26]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const wrong = notification('notifications/cancelled', { requestId: {} });
    for (const answer of [
      await session.post(wrong),
      await session.post({ jsonrpc: '2.0', id: {}, result: {} }),
      await send(url, { body: notification('notifications/initialized') }),
      await send(url, { body: { jsonrpc: '2.0', id: 1, result: {} } }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
      expect(answer.json).not.toHaveProperty('id');
    }
  });

  it('must be named by every request except initialize [s-http-54]', async () => {
    const { url } = await serve();
    const { headers } = await startSession(url, revision);
    const unnamed = { ...headers, 'mcp-session-id': undefined };
    const accept = 'text/event-stream';
    for (const sent of [
      { body: request('tools/list') },
      { body: notification('notifications/initialized') },
      { method: 'GET', accept },
      { method: 'DELETE' },
    ]) {
      const answer = await send(url, { ...sent, headers: { ...unnamed, ...(sent.method && { accept }) } });
      expect(answer.status).toBe(400);
    }
  });

  it('ends with DELETE, and later requests for it get 404 [s-http-55, s-http-56]', async () => {
    const { url, stats } = await serve();
    const session = await startSession(url, revision);
    expect(await session.end()).toMatchObject({ status: 204, text: '' });
    expect(stats().sessions).toBe(0);
    expect((await session.post(call('echo', { text: 'x' }))).status).toBe(404);
    expect((await session.post(notification('notifications/initialized'))).status).toBe(404);
    expect((await session.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(404);
    expect((await session.listen()).status).toBe(404);
    expect((await session.end()).status).toBe(404);
    const again = await send(url, { headers: session.headers, body: initialize(revision) });
    expect(again.status).toBe(200);
    expect(again.headers['mcp-session-id']).not.toBe(session.id);
  });

  it('answers running calls with an error when it ends', async () => {
    const { url, waits, aborted, release, stats } = await serve();
    const session = await startSession(url, revision);
    const waiting = session.post(call('wait'));
    const streaming = await session.open({ body: call('wait', {}, 2, { progressToken: 1 }) });
    await withTimeout(waits, 'the handler');
    await session.end();
    expect(await withTimeout(waiting, 'the response')).toMatchObject({
      status: 200,
      json: { id: 1, error: { code: -32600 } },
    });
    expect(await withTimeout(streaming.ended, 'the stream to end')).toBe(true);
    await withTimeout(aborted, 'the handler to be aborted');
    release();
    expect((await send(url, { body: initialize(revision) })).status).toBe(200);
    expect(stats()).toMatchObject({ sessions: 1, streams: 0, activeCalls: 0 });
  });

  it('belongs to the principal that started it: others get 404, whatever they send [s-security-37]', async () => {
    const { url } = await serve({ authenticate: (sent) => sent.header('x-user') ?? { anonymous: true } });
    const session = await startSession(url, revision, { headers: { 'x-user': 'ada' } });
    const listening = await session.listen();
    expect(listening.status).toBe(200);
    for (const user of ['eve', undefined]) {
      const headers = { 'x-user': user };
      expect((await session.post(call('echo', { text: 'x' }), headers)).status).toBe(404);
      expect((await session.post(notification('notifications/initialized'), headers)).status).toBe(404);
      for (const method of ['GET', 'DELETE']) {
        const accept = 'text/event-stream';
        expect((await send(url, { method, headers: { ...session.headers, accept, ...headers } })).status).toBe(404);
      }
      const resumed = { ...session.headers, accept: 'text/event-stream', 'last-event-id': '1.0', ...headers };
      expect((await send(url, { method: 'GET', headers: resumed })).status).toBe(404);
    }
    expect((await session.post(call('echo', { text: 'x' }))).status).toBe(200);
    listening.cut();
  });

  it('stores nothing of answered calls, and their ids can be used again', async () => {
    const { url, stats } = await serve();
    const session = await startSession(url, revision);
    for (let round = 0; round < 3; round++)
      for (const body of [request('ping'), call('echo', { text: 'x' }), request('nothing/here'), call('nowhere')])
        expect((await session.post(body)).status).toBe(200);
    expect(stats()).toMatchObject({ sessions: 1, streams: 0, activeCalls: 0 });
  });

  it('rejects a request whose id is in use, and still answers the first', async () => {
    const { url, waits, release, stats } = await serve();
    const session = await startSession(url, revision);
    const first = session.post(call('wait'));
    await withTimeout(waits, 'the handler');
    expect(await session.post(call('echo', { text: 'x' }))).toMatchObject({
      status: 400,
      json: { error: { code: -32600 } },
    });
    release();
    expect((await withTimeout(first, 'the first')).json).toMatchObject({ result: { content: [{ text: 'waited' }] } });
    expect(stats().activeCalls).toBe(0);
  });
});

describe('the version header', () => {
  it.each(versioned)('must be a supported version, in a session at %s [s-http-63]', async (revision) => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    for (const wrong of ['2099-01-01', 'x', '']) {
      const headers = { 'mcp-protocol-version': wrong };
      for (const body of [call('echo', { text: 'x' }), notification('notifications/initialized')])
        expect((await session.post(body, headers)).status).toBe(400);
      expect((await session.post({ jsonrpc: '2.0', id: 9, result: {} }, headers)).status).toBe(400);
      for (const method of ['GET', 'DELETE']) {
        const all = { ...session.headers, accept: 'text/event-stream', ...headers };
        expect((await send(url, { method, headers: all })).status).toBe(400);
      }
    }
    expect((await session.post(call('echo', { text: 'x' }))).status).toBe(200);
  });

  it('can be missing: the session has its version [s-http-62]', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25');
    const answer = await session.post(call('echo', { text: 'x' }), { 'mcp-protocol-version': undefined });
    expect(answer.status).toBe(200);
  });
});

describe('messages in a batch', () => {
  const batch = [
    call('echo', { text: 'a' }, 1),
    notification('notifications/cancelled', { requestId: 'none' }),
    call('echo', { text: 'b' }, 2),
  ];

  it('are answered together in 2025-03-26 [s-http-13@2025-03-26, s-http-10@2025-03-26]', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-03-26');
    const answer = await session.post(batch);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(answer.text)).toMatchObject([{ id: 1 }, { id: 2 }]);
    const withoutRequests = [batch[1], { jsonrpc: '2.0', id: 'x', result: {} }];
    expect(await session.post(withoutRequests)).toMatchObject({ status: 202, text: '' });
    expect(await session.post([])).toMatchObject({ status: 400 });
  });

  it('are answered on one stream if notifications precede the responses, which ends after the last response [s-http-24@2025-03-26, s-http-201@2025-03-26]', async () => {
    const { url, waits, release } = await serve();
    const session = await startSession(url, '2025-03-26');
    const response = await session.open({
      body: [call('wait', {}, 1, { progressToken: 1 }), call('echo', { text: 'b' }, 2)],
    });
    await withTimeout(waits, 'the handler');
    await response.until(() => response.messages().some(({ id }) => id === 2), 'the second response');
    release();
    expect(await withTimeout(response.ended, 'the end of the stream')).toBe(true);
    expect(response.messages().flatMap(({ id }) => id ?? [])).toEqual([2, 1]);
  });

  it.each(['2024-11-05', ...versioned])('are rejected in %s', async (revision) => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    expect(await session.post(batch)).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
  });
});
