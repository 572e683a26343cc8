/** Two endpoints with one store serve one session: what one of them receives, the other knows. */

import { describe, expect, it, vi } from 'vitest';
import {
  call,
  lone,
  notification,
  request,
  resumableRevisions,
  sessionRevisions,
  startSession,
} from '../../../kit/http/messages.ts';
import { type Json, type OpenResponse, open, send } from '../../../kit/http/raw-http.ts';
import { isSince } from '../../../kit/version-order.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { allNotFound, allReceived, at, statuses, stores, twoNodes } from './two-nodes.ts';

const progressing = { progressToken: 'mine' };
const newest = '2025-11-25';
const sentOn = (stream: OpenResponse): unknown[] => stream.messages().map(({ method, id }) => method ?? id);
const listChanged = 'notifications/tools/list_changed';
const updated = 'notifications/resources/updated';

const whole = async (stream: OpenResponse): Promise<OpenResponse> => {
  expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
  return stream;
};

describe.each(stores)('with %s store', (_when, makeStore) => {
  describe.each(sessionRevisions)('a session at %s', (revision) => {
    it('that started at one endpoint is served at the other', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const there = at(b, session);
      expect((await there.post(call('echo', { text: 'x' }))).json).toMatchObject({
        result: { content: [{ text: 'x' }] },
      });
      expect((await session.post(call('echo', { text: 'y' }))).status).toBe(200);
      expect([a.stats().sessions, b.stats().sessions]).toEqual([1, 1]);
    });

    it('that is ended at one endpoint ends at the other, and its running calls are cancelled [s-http-55, s-http-56]', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const waiting = session.post(call('wait'));
      const listening = await session.listen();
      await withTimeout(a.waits, 'the handler');
      expect((await at(b, session).end()).status).toBe(204);
      expect(await withTimeout(waiting, 'the response')).toMatchObject({
        status: 200,
        json: { error: { code: -32600 } },
      });
      await withTimeout(a.aborted, 'the handler to be aborted');
      await whole(listening);
      expect(await statuses(session)).toEqual(allNotFound);
      expect(await statuses(at(b, session))).toEqual(allNotFound);
    });

    it('gets changes of both endpoints once, on its open stream [s-http-40]', async () => {
      const { a, b, store } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      await session.post(request('resources/subscribe', { uri: 'note://one' }));
      const stream = await at(b, session).listen();
      await allReceived(store);
      a.server.update((draft) => {
        delete draft.tools.fail;
      });
      await stream.until(() => stream.messages().length >= 1, 'the change at the first');
      b.server.sendResourceUpdated('note://one');
      a.server.sendResourceUpdated('note://other');
      a.server.sendResourceUpdated('note://one');
      await stream.until(() => stream.messages().length >= 3, 'the updates');
      b.server.update((draft) => {
        delete draft.tools.fail;
      });
      await stream.until(() => stream.messages().length >= 4, 'the change at the second');
      expect(sentOn(stream)).toEqual([listChanged, updated, updated, listChanged]);
      stream.cut();
    });

    it('gets a server request at one endpoint and answers at the other', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision, { capabilities: { elicitation: {} } });
      if (!isSince(revision, '2025-06-18')) return;
      const streams = [
        await session.open({ body: call('greet', {}, 1) }),
        await at(b, session).open({ body: call('greet', {}, 2) }),
      ] as const;
      for (const stream of streams) await stream.until(() => stream.messages().length >= 1, 'the elicitation');
      const ids = streams.map((stream) => stream.messages()[0]?.id);
      expect(ids[0]).not.toBe(ids[1]);
      const answer = (id: unknown, name: string): Json => ({
        jsonrpc: '2.0',
        id,
        result: { action: 'accept', content: { name } },
      });
      expect((await at(b, session).post(answer(ids[0], 'Ada'))).status).toBe(202);
      expect((await session.post(answer(ids[1], 'Eve'))).status).toBe(202);
      for (const stream of streams) await whole(stream);
      expect(streams.map((stream) => stream.messages()[1])).toMatchObject([
        { id: 1, result: { content: [{ text: 'Hello, Ada' }] } },
        { id: 2, result: { content: [{ text: 'Hello, Eve' }] } },
      ]);
    });

    it('cancels a call at one endpoint by a notification to the other', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const stream = await session.open({ body: call('wait', {}, 7, progressing) });
      await withTimeout(a.waits, 'the handler');
      const cancelled = notification('notifications/cancelled', { requestId: 7 });
      expect((await at(b, session).post(cancelled)).status).toBe(202);
      await withTimeout(a.aborted, 'the handler to be aborted');
      await whole(stream);
      expect(sentOn(stream)).toEqual(['notifications/progress']);
    });

    it('has its log level at both endpoints, whichever received it', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const there = at(b, session);
      const logged = async (target: typeof session) => {
        const stream = await target.open({ body: call('log') });
        await withTimeout(stream.ended, 'the end of the stream');
        return stream.messages().filter(({ method }) => method === 'notifications/message').length;
      };
      await session.post(request('logging/setLevel', { level: 'error' }));
      expect([await logged(there), await logged(session)]).toEqual([0, 0]);
      await there.post(request('logging/setLevel', { level: 'debug' }));
      await vi.waitFor(async () => expect([await logged(there), await logged(session)]).toEqual([1, 1]), 10_000);
    });
  });

  describe.each(resumableRevisions)('a stream of a session at %s', (revision) => {
    it('that started at one endpoint is resumed at the other after any of its events, with no event lost or duplicated [s-http-44, s-http-46, s-http-48]', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const first = await whole(await session.open({ body: call('count', { to: 4 }, 1, progressing) }));
      const events = first.events();
      for (const [place, { id }] of events.entries()) {
        const rest = await whole(await at(b, session).listen(id));
        expect([...events.slice(0, place + 1), ...rest.events()]).toEqual(events);
      }
    });

    it('is resumed at the other while its call runs, and back, with no event lost or duplicated [s-http-26, s-http-46]', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const first = await session.open({ body: call('wait', {}, 7, progressing) });
      await withTimeout(a.waits, 'the handler');
      await first.until(() => first.messages().length >= 1, 'the first event');
      const second = await at(b, session).listen(first.events().at(-1)?.id);
      expect(second.status).toBe(200);
      // The newest connection has the stream.
      await whole(first);
      const third = await session.listen(first.events().at(-1)?.id);
      await whole(second);
      const last = await at(b, session).listen(first.events().at(-1)?.id);
      await whole(third);
      a.release();
      await whole(last);
      expect([...sentOn(first), ...sentOn(second), ...sentOn(third), ...sentOn(last)]).toEqual([
        'notifications/progress',
        'notifications/progress',
        7,
      ]);
      expect([a.stats().activeCalls, b.stats().activeCalls]).toEqual([0, 0]);
    });

    it('by GET is resumed at the other after the last event of the first [s-http-46, s-http-47]', async () => {
      const { a, b } = await twoNodes({}, makeStore());
      const session = await startSession(a.url, revision);
      const change = (): void => {
        a.server.update((draft) => {
          draft.tools = { ...draft.tools };
          delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
        });
      };
      const first = await session.listen();
      change();
      await first.until(() => first.messages().length >= 1, 'the first change');
      first.cut();
      await vi.waitFor(() => expect(a.stats().streams).toBe(0));
      change();
      const second = await at(b, session).listen(first.events()[0]?.id);
      await second.until(() => second.messages().length >= 1, 'the change that was not read');
      change();
      await second.until(() => second.messages().length >= 2, 'the next change');
      expect(new Set([...first.events(), ...second.events()].map(({ id }) => id)).size).toBe(3);
      second.cut();
      await vi.waitFor(() => expect(b.stats().streams).toBe(0));
      const third = await session.listen();
      change();
      await third.until(() => third.messages().length > 0, 'the last change');
      expect(sentOn(third)).toEqual([listChanged]);
      third.cut();
    });
  });

  it('closeStream closes a stream that is read at another endpoint, and the client resumes for the rest', async () => {
    const { a, b } = await twoNodes({}, makeStore());
    const session = await startSession(a.url, newest);
    const first = await session.open({ body: call('leave', {}, 7, progressing) });
    await first.until(() => first.messages().length >= 1, 'the first event');
    const second = await at(b, session).listen(first.events().at(-1)?.id);
    await whole(first);
    a.release();
    await whole(second);
    expect(second.text()).toContain('retry: 5');
    const third = await whole(await at(b, session).listen(first.events().at(-1)?.id));
    expect(sentOn(third)).toEqual([7]);
  });

  it('a subscriptions/listen request gets changes of the other endpoint', async () => {
    const { a, b } = await twoNodes({}, makeStore());
    const wanted = { notifications: { resourceSubscriptions: ['note://one'] } };
    const stream = await open(b.url, lone('subscriptions/listen', wanted));
    await stream.until(() => stream.messages().length >= 1, 'the acknowledgement');
    a.server.sendResourceUpdated('note://one');
    await stream.until(() => stream.messages().length >= 2, 'the update');
    expect(sentOn(stream)[1]).toBe(updated);
    stream.cut();
  });

  it('a session is loaded once for concurrent requests', async () => {
    const { a, b } = await twoNodes({}, makeStore());
    const session = await startSession(a.url, newest);
    const there = at(b, session);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, id) => there.post(call('echo', { text: 'x' }, id))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(b.stats()).toMatchObject({ sessions: 1, streams: 0, activeCalls: 0 });
  });

  it('a session is not loaded beyond maxCount, and its client gets 503 with retry-after', async () => {
    const { a, b } = await twoNodes({ sessions: { maxCount: 1 } }, makeStore());
    const session = await startSession(a.url, newest);
    const other = await startSession(b.url, newest);
    await other.post(request('ping'));
    const there = at(b, session);
    expect(await there.post(request('ping'))).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await there.listen()).status).toBe(503);
    await other.end();
    expect((await there.post(request('ping'))).status).toBe(200);
  });

  it('a session outlives the endpoint at which it started [S37]', async () => {
    const { a, b } = await twoNodes({}, makeStore());
    const session = await startSession(a.url, newest);
    await a.close();
    expect((await at(b, session).post(call('echo', { text: 'x' }))).status).toBe(200);
    const stream = await at(b, session).listen();
    b.server.update((draft) => {
      delete draft.tools.fail;
    });
    await stream.until(() => stream.messages().length >= 1, 'the change');
    expect((await send(b.url, { method: 'DELETE', headers: session.headers })).status).toBe(204);
    await whole(stream);
  });
});
