/** The Accept header decides what a client gets: JSON, an event stream, or either. */

import { describe, expect, it } from 'vitest';
import { acceptanceOf } from '../../../../src/server/http/admission/accept.ts';
import {
  call,
  initialize,
  lone,
  loneCall,
  notification,
  sessionRevisions,
  startSession,
} from '../../../kit/http/messages.ts';
import { type Headers, open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const json: Headers = { accept: 'application/json' };
const events: Headers = { accept: 'text/event-stream' };
const counted = { result: { content: [{ type: 'text', text: 'counted to 3' }] } };
const token = { progressToken: 'p' };

describe('the Accept header', () => {
  it.each([
    ['application/json, text/event-stream', 'either'],
    ['text/event-stream;q=0.1,application/json; q=1.0', 'either'],
    ['*/*', 'either'],
    ['application/*, text/*', 'either'],
    ['APPLICATION/JSON', 'json'],
    ['application/json, text/event-stream;q=0', 'json'],
    ['application/json, text/event-stream; Q = 0.000', 'json'],
    ['text/event-stream;q=0, */*', 'json'],
    ['text/event-stream', 'events'],
    ['application/json;q=0, */*;q=0.5', 'events'],
    ['text/*', 'events'],
    ['application/jsonx', 'neither'],
    ['x-application/json', 'neither'],
    ['application/json;q=0', 'neither'],
    ['text/html', 'neither'],
    ['', 'neither'],
  ])('%j accepts %s', (accept, outcome) => {
    expect([acceptanceOf(accept), acceptanceOf(accept)]).toEqual([outcome, outcome]);
  });

  it.each(['application/jsonx', 'application/json;q=0, text/event-stream;q=0'])('%j gets 406', async (accept) => {
    const { url } = await serve();
    const sent = loneCall('echo', { text: 'x' });
    expect((await send(url, { ...sent, headers: { ...sent.headers, accept } })).status).toBe(406);
  });
});

describe('a client that accepts only JSON', () => {
  it('gets its response as JSON without notifications, in an exchange', async () => {
    const { url } = await serve();
    const sent = loneCall('count', { to: 3 }, token);
    const answer = await send(url, { ...sent, headers: { ...sent.headers, ...json } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject(counted);
  });

  it.each(sessionRevisions)('gets its response as JSON without notifications, in %s', async (revision) => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const answer = await session.post(call('count', { to: 3 }, 1, token), json);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject(counted);
  });

  it('cannot get server requests, which fail in the handler', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25', { capabilities: { elicitation: {} } });
    const answer = await session.post(call('greet'), json);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject({ result: { isError: true } });
  });

  it('gets its response in the same request even if the handler closes the stream', async () => {
    const { url, waits, release } = await serve();
    const session = await startSession(url, '2025-11-25');
    const answer = session.post(call('leave'), json);
    await withTimeout(waits, 'the handler');
    release();
    expect((await withTimeout(answer, 'the answer')).json).toMatchObject({ result: { content: [{ text: 'left' }] } });
  });

  it('gets an empty response to a call that it cancelled', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, '2025-11-25');
    const answer = session.post(call('wait'), json);
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 1 }));
    expect(await withTimeout(answer, 'the response')).toMatchObject({ status: 202, text: '' });
  });

  it('cannot open a stream: 406', async () => {
    const { url, stats } = await serve();
    const sent = lone('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const answer = await send(url, { ...sent, headers: { ...sent.headers, ...json } });
    expect(answer).toMatchObject({ status: 406, json: { id: 1, error: {} } });
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
    const session = await startSession(url, '2025-11-25');
    expect((await send(url, { method: 'GET', headers: { ...session.headers, ...json } })).status).toBe(406);
  });
});

describe('a client that accepts only event streams', () => {
  it('gets its response as an event stream, in an exchange', async () => {
    const { url, stats } = await serve();
    const sent = loneCall('echo', { text: 'hi' });
    const stream = await open(url, { ...sent, headers: { ...sent.headers, ...events } });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([{ id: 1, result: { content: [{ text: 'hi' }] } }]);
    expect(stats().streams).toBe(0);
  });

  it.each(sessionRevisions)(
    'gets the initialize result and its responses as event streams, in %s',
    async (revision) => {
      const { url } = await serve();
      const handshake = await open(url, { body: initialize(revision), headers: events });
      await withTimeout(handshake.ended, 'the end of the handshake stream');
      expect(handshake.messages()).toMatchObject([{ id: 'hello', result: { protocolVersion: revision } }]);
      const headers = { ...events, 'mcp-session-id': String(handshake.headers['mcp-session-id']) };
      const stream = await open(url, { body: call('echo', { text: 'hi' }), headers });
      await withTimeout(stream.ended, 'the end of the stream');
      expect(stream.messages()).toMatchObject([{ id: 1, result: { content: [{ text: 'hi' }] } }]);
    },
  );

  it('gets an error as JSON, with its HTTP status', async () => {
    const { url } = await serve();
    const answer = await send(url, {
      ...lone('no/such/method'),
      headers: { ...lone('no/such/method').headers, ...events },
    });
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } });
  });
});
