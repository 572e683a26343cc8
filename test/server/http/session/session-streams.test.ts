/** Streams of a session: which message goes on which stream, and that a disconnect does not cancel a call. */

import { describe, expect, it, vi } from 'vitest';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, notification, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import type { Json, OpenResponse } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const progressing = { progressToken: 'mine' };
const sentOn = (stream: OpenResponse): unknown[] => stream.messages().map(({ method, id }) => method ?? id);
const changed = 'notifications/tools/list_changed';

describe.each(sessionRevisions)('the streams of a session at %s', (revision) => {
  it('carry the notifications of a call, then its response, then end [s-http-13, s-http-20, s-http-21, s-http-22, s-http-24, s-http-201@2025-03-26, s-http-201@2025-06-18]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('count', { to: 3 }, 7, progressing) });
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(sentOn(stream)).toEqual([...Array(3).fill('notifications/progress'), 7]);
  });

  it('carry other notifications on one GET stream, once, and no responses there [s-http-01, s-http-31, s-http-32, s-http-33, s-http-34, s-http-39, s-http-40]', async () => {
    const { url, server } = await serve();
    const session = await startSession(url, revision);
    const other = await startSession(url, revision);
    const streams = [await session.listen(), await session.listen(), await other.listen()] as const;
    for (const stream of streams) expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream' });
    const posted = await session.open({ body: call('count', { to: 2 }, 7, progressing) });
    server.update((draft) => {
      delete draft.tools.fail;
    });
    const [first, second, foreign] = streams;
    await second.until(() => second.messages().length > 0, 'the change');
    await foreign.until(() => foreign.messages().length > 0, 'the change, in the other session');
    await withTimeout(posted.ended, 'the response');
    expect((await session.post(request('ping'))).status).toBe(200);
    expect([first, second, foreign].map(sentOn)).toEqual([[], [changed], [changed]]);
    for (const stream of streams) stream.cut();
  });

  it('store unread notifications for the next GET stream, and repeat none', async () => {
    const { url, server, stats } = await serve();
    const session = await startSession(url, revision);
    server.update((draft) => {
      delete draft.tools.fail;
    });
    const first = await session.listen();
    await first.until(() => first.messages().length >= 1, 'the stored notification');
    first.cut();
    await vi.waitFor(() => expect(stats().streams).toBe(0));
    const second = await session.listen();
    server.update((draft) => {
      delete draft.tools.echo;
    });
    await second.until(() => second.messages().length > 0, 'the next change');
    expect([first, second].map(sentOn)).toEqual([[changed], [changed]]);
    second.cut();
  });

  it('can be disconnected without cancelling the call [s-http-25, s-http-26]', async () => {
    const { url, waits, release, stats } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('wait', {}, 1, progressing) });
    await withTimeout(waits, 'the handler');
    stream.cut();
    await stream.ended;
    expect((await session.post(request('ping', undefined, 2))).status).toBe(200);
    expect(stats().activeCalls).toBe(1);
    release();
    expect((await session.post(call('echo', { text: 'x' }, 3))).status).toBe(200);
    expect(stats().activeCalls).toBe(0);
  });

  it('end without a response when the client cancels the call, with or without notifications', async () => {
    const { url, waits, aborted, stats, release } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('wait', {}, 1, progressing) });
    const silent = session.post(call('wait', {}, 2));
    await withTimeout(waits, 'the handler');
    await vi.waitFor(() => expect(stats().activeCalls).toBe(2));
    for (const requestId of [1, 2])
      expect((await session.post(notification('notifications/cancelled', { requestId }))).status).toBe(202);
    expect(await withTimeout(stream.ended, 'the stream to end')).toBe(true);
    expect(sentOn(stream)).toEqual(['notifications/progress']);
    const { text } = await withTimeout(silent, 'the other response to end');
    expect(text).not.toContain('result');
    await withTimeout(aborted, 'the handler to be aborted');
    // The handlers ignore it: they count until they return.
    expect(stats().activeCalls).toBe(2);
    expect((await session.post(call('echo', { text: 'x' }, 1))).status).toBe(200);
    release();
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
  });

  it('are rejected with 406 if a GET does not accept event streams', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    for (const accept of [undefined, 'application/json'])
      expect((await session.open({ method: 'GET', headers: { accept } })).status).toBe(406);
  });

  it('end when the session does [s-http-23, s-http-35]', async () => {
    const { url, stats } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.listen();
    await session.end();
    expect(await withTimeout(stream.ended, 'the stream to end')).toBe(true);
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });
});

describe('concurrent streams', () => {
  it('of calls replace only finished streams', async () => {
    const { url, server } = await serve({ limits: withFixed({}, { maxStreams: 3 }) });
    const session = await startSession(url, '2025-11-25');
    const getStream = await session.listen();
    const ids: string[] = [];
    for (let id = 0; id < 10; id++) {
      const stream = await session.open({ body: call('count', { to: 1 }, id, progressing) });
      await withTimeout(stream.ended, 'the end of the stream');
      ids.push(stream.events()[0]?.id ?? '');
    }
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await getStream.until(() => getStream.messages().length >= 1, 'the change');
    const again = await session.listen(getStream.events()[0]?.id);
    expect(again.status).toBe(200);
    again.cut();
    expect((await session.listen(ids[0])).status).toBe(400);
    const last = await session.listen(ids[9]);
    expect(await withTimeout(last.ended, 'the end of the last')).toBe(true);
    expect(sentOn(last)).toEqual(['notifications/progress', 9]);
  });
});

describe.each(['2025-06-18', '2025-11-25'])('the stream of a call in a session at %s', (revision) => {
  it('carries the server requests of that call, which are answered by POST [s-http-21, s-http-22]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision, { capabilities: { elicitation: {} } });
    const getStream = await session.listen();
    const stream = await session.open({ body: call('greet', {}, 7) });
    await stream.until(() => stream.messages().length >= 1, 'the elicitation');
    const [elicitation] = stream.messages() as [Json];
    expect(elicitation).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
    const answer = { jsonrpc: '2.0', id: elicitation.id, result: { action: 'accept', content: { name: 'Ada' } } };
    expect((await session.post(answer)).status).toBe(202);
    await withTimeout(stream.ended, 'the end of the stream');
    expect(stream.messages()[1]).toMatchObject({ id: 7, result: { content: [{ text: 'Hello, Ada' }] } });
    expect(getStream.messages()).toEqual([]);
    getStream.cut();
  });
});
