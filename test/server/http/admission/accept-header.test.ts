/** What a client does not accept it does not get: JSON, streams of events, or either, by its header Accept. */

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

describe('the header Accept', () => {
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

  it.each(['application/jsonx', 'application/json;q=0, text/event-stream;q=0'])('%j is 406', async (accept) => {
    const { url } = await serve();
    const sent = loneCall('echo', { text: 'x' });
    expect((await send(url, { ...sent, headers: { ...sent.headers, accept } })).status).toBe(406);
  });
});

describe('a client that accepts JSON alone', () => {
  it('gets its answer as JSON, and no news on the way, alone', async () => {
    const { url } = await serve();
    const sent = loneCall('count', { to: 3 }, token);
    const answer = await send(url, { ...sent, headers: { ...sent.headers, ...json } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject(counted);
  });

  it.each(sessionRevisions)('gets its answer as JSON, and no news on the way, in %s', async (revision) => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const answer = await session.post(call('count', { to: 3 }, 1, token), json);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject(counted);
  });

  it('cannot be asked on the way, which the handler hears', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25', { capabilities: { elicitation: {} } });
    const answer = await session.post(call('greet'), json);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toMatchObject({ result: { isError: true } });
  });

  it('is not sent away to come back', async () => {
    const { url, waits, release } = await serve();
    const session = await startSession(url, '2025-11-25');
    const answer = session.post(call('leave'), json);
    await withTimeout(waits, 'the handler');
    release();
    expect((await withTimeout(answer, 'the answer')).json).toMatchObject({ result: { content: [{ text: 'left' }] } });
  });

  it('gets an empty answer to what it has cancelled', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, '2025-11-25');
    const answer = session.post(call('wait'), json);
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 1 }));
    expect(await withTimeout(answer, 'the end')).toMatchObject({ status: 202, text: '' });
  });

  it('cannot listen: 406', async () => {
    const { url, stats } = await serve();
    const sent = lone('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const answer = await send(url, { ...sent, headers: { ...sent.headers, ...json } });
    expect(answer).toMatchObject({ status: 406, json: { id: 1, error: {} } });
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
    const session = await startSession(url, '2025-11-25');
    expect((await send(url, { method: 'GET', headers: { ...session.headers, ...json } })).status).toBe(406);
  });
});

describe('a client that accepts streams of events alone', () => {
  it('gets its answer as one, alone', async () => {
    const { url, stats } = await serve();
    const sent = loneCall('echo', { text: 'hi' });
    const stream = await open(url, { ...sent, headers: { ...sent.headers, ...events } });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toMatchObject([{ id: 1, result: { content: [{ text: 'hi' }] } }]);
    expect(stats().streams).toBe(0);
  });

  it.each(sessionRevisions)('gets the greeting and its answers as such, in %s', async (revision) => {
    const { url } = await serve();
    const greeting = await open(url, { body: initialize(revision), headers: events });
    await withTimeout(greeting.ended, 'the end of the greeting');
    expect(greeting.messages()).toMatchObject([{ id: 'hello', result: { protocolVersion: revision } }]);
    const headers = { ...events, 'mcp-session-id': String(greeting.headers['mcp-session-id']) };
    const stream = await open(url, { body: call('echo', { text: 'hi' }), headers });
    await withTimeout(stream.ended, 'the end');
    expect(stream.messages()).toMatchObject([{ id: 1, result: { content: [{ text: 'hi' }] } }]);
  });

  it('gets a refusal as JSON, by its status', async () => {
    const { url } = await serve();
    const answer = await send(url, {
      ...lone('no/such/method'),
      headers: { ...lone('no/such/method').headers, ...events },
    });
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } });
  });
});
