/** Streams of a session: what goes on which, who may leave, and what is cancelled only when it is said. */

import { describe, expect, it, vi } from 'vitest';
import { call, notification, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import type { Json, OpenResponse } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const progressing = { progressToken: 'mine' };
const notified = (stream: OpenResponse): unknown[] => stream.messages().map(({ method, id }) => method ?? id);
const changed = 'notifications/tools/list_changed';

describe.each(sessionRevisions)('the streams of a session of %s', (revision) => {
  it('carry what a call tells, then its answer, then end [s-http-13, s-http-20, s-http-21, s-http-22, s-http-24, s-http-201@2025-03-26, s-http-201@2025-06-18]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('count', { to: 3 }, 7, progressing) });
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(notified(stream)).toEqual([...Array(3).fill('notifications/progress'), 7]);
  });

  it('tell what belongs to no call on one GET stream, never an answer, never twice [s-http-01, s-http-31, s-http-32, s-http-33, s-http-34, s-http-39, s-http-40]', async () => {
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
    await withTimeout(posted.ended, 'the answer');
    expect((await session.post(request('ping'))).status).toBe(200);
    expect([first, second, foreign].map(notified)).toEqual([[], [changed], [changed]]);
    for (const stream of streams) stream.cut();
  });

  it('keep what nobody has heard for the next reader, and tell nothing again', async () => {
    const { url, server, stats } = await serve();
    const session = await startSession(url, revision);
    server.update((draft) => {
      delete draft.tools.fail;
    });
    const first = await session.listen();
    await first.until(() => first.messages().length === 1, 'what was kept');
    first.cut();
    await vi.waitFor(() => expect(stats().streams).toBe(0));
    const second = await session.listen();
    server.update((draft) => {
      delete draft.tools.echo;
    });
    await second.until(() => second.messages().length > 0, 'the next change');
    expect([first, second].map(notified)).toEqual([[changed], [changed]]);
    second.cut();
  });

  it('may be left without harm to the call [s-http-25, s-http-26]', async () => {
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

  it('end when the client cancels the call, told or untold, with no answer', async () => {
    const { url, waits, aborted, stats } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('wait', {}, 1, progressing) });
    const untold = session.post(call('wait', {}, 2));
    await withTimeout(waits, 'the handler');
    await vi.waitFor(() => expect(stats().activeCalls).toBe(2));
    for (const requestId of [1, 2])
      expect((await session.post(notification('notifications/cancelled', { requestId }))).status).toBe(202);
    expect(await withTimeout(stream.ended, 'the stream to end')).toBe(true);
    expect(notified(stream)).toEqual(['notifications/progress']);
    const { text } = await withTimeout(untold, 'the other response to end');
    expect(text).not.toContain('result');
    await withTimeout(aborted, 'the handler to be aborted');
    expect(stats().activeCalls).toBe(0);
    expect((await session.post(call('echo', { text: 'x' }, 1))).status).toBe(200);
  });

  it('are answered with 406 where a GET does not want events', async () => {
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

describe('streams at once', () => {
  it('of calls push out only those that are over', async () => {
    const { url, server } = await serve({ limits: { maxStreams: 3 } });
    const session = await startSession(url, '2025-11-25');
    const unasked = await session.listen();
    const ids: string[] = [];
    for (let id = 0; id < 10; id++) {
      const stream = await session.open({ body: call('count', { to: 1 }, id, progressing) });
      await withTimeout(stream.ended, 'the end');
      ids.push(stream.events()[0]?.id ?? '');
    }
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await unasked.until(() => unasked.messages().length === 1, 'the change');
    const again = await session.listen(unasked.events()[0]?.id);
    expect(again.status).toBe(200);
    again.cut();
    expect((await session.listen(ids[0])).status).toBe(400);
    const last = await session.listen(ids[9]);
    expect(await withTimeout(last.ended, 'the end of the last')).toBe(true);
    expect(notified(last)).toEqual(['notifications/progress', 9]);
  });
});

describe.each(['2025-06-18', '2025-11-25'])('the stream of a call in a session of %s', (revision) => {
  it('carries questions of a call on the stream of that call, and their answers come by POST [s-http-21, s-http-22]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision, { capabilities: { elicitation: {} } });
    const unasked = await session.listen();
    const stream = await session.open({ body: call('greet', {}, 7) });
    await stream.until(() => stream.messages().length === 1, 'the question');
    const [question] = stream.messages() as [Json];
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } };
    expect((await session.post(answer)).status).toBe(202);
    await withTimeout(stream.ended, 'the end');
    expect(stream.messages()[1]).toMatchObject({ id: 7, result: { content: [{ text: 'Hello, Ada' }] } });
    expect(unasked.messages()).toEqual([]);
    unasked.cut();
  });
});
