/** Resumed streams: wherever a stream is cut, no event is lost and none is duplicated. */

import { describe, expect, it } from 'vitest';
import { createEventReader } from '../../../../src/transport/sse.ts';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import { type Json, type OpenResponse, open } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { sampled } from '../../../kit/sampled.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const progressing = { progressToken: 'mine' };

/** The messages and the last event id of a client that has read this part of a stream. */
function readAs(text: string): { readonly messages: Json[]; readonly last: string } {
  const messages: Json[] = [];
  const reader = createEventReader({
    event: ({ data }) => void (data !== '' && messages.push(JSON.parse(data) as Json)),
    onWarning(error) {
      throw error;
    },
  });
  reader.push(text);
  return { messages, last: reader.lastEventId };
}

const whole = async (stream: OpenResponse): Promise<OpenResponse> => {
  expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
  return stream;
};

describe.each(resumableRevisions)('a stream of a session at %s', (revision) => {
  it('is resumed by GET after a cut at any byte after its first event, with no event lost or duplicated [s-http-28, s-http-41, s-http-42, s-http-44, s-http-46, s-http-48]', async () => {
    const { url } = await serve();
    const session = await startSession(url, revision);
    const first = await whole(await session.open({ body: call('count', { to: 4 }, 'häll 🌍', progressing) }));
    const text = first.text();
    const all = first.messages();
    expect(all).toHaveLength(5);
    const begin = text.indexOf('\n\n') + 2;
    const bytes = Buffer.from(text);
    const start = Buffer.byteLength(text.slice(0, begin));
    const cuts = Array.from({ length: bytes.length - start + 1 }, (_, at) => start + at);
    for (const cut of sampled(cuts)) {
      const before = readAs(new TextDecoder().decode(bytes.subarray(0, cut)));
      const after = await whole(await session.listen(before.last));
      expect([...before.messages, ...after.messages()], `cut at ${cut}`).toEqual(all);
    }
  });

  it('continues after the last event while its call still runs [s-http-26, s-http-46, s-http-48]', async () => {
    const { url, waits, release } = await serve();
    const session = await startSession(url, revision);
    const first = await session.open({ body: call('wait', {}, 7, progressing) });
    await withTimeout(waits, 'the handler');
    await first.until(() => first.messages().length >= 1, 'the first event');
    first.cut();
    const second = await session.listen(first.events().at(-1)?.id);
    expect(second.status).toBe(200);
    release();
    await whole(second);
    expect(second.messages()).toMatchObject([{ params: { progress: 2 } }, { id: 7 }]);
  });

  it('replays only its own events, with ids that are unique in the session [s-http-43, s-http-47]', async () => {
    const { url, server } = await serve();
    const session = await startSession(url, revision);
    const getStream = await session.listen();
    const calls = [];
    for (const id of [1, 2])
      calls.push(await whole(await session.open({ body: call('count', { to: 2 }, id, progressing) })));
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await getStream.until(() => getStream.messages().length >= 1, 'the change');
    const ids = [getStream, ...calls].flatMap((stream) => stream.events().map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const stream of calls) {
      const replayed = await whole(await session.listen(stream.events()[0]?.id));
      expect(replayed.text()).toBe(stream.text().slice(stream.text().indexOf('\n\n') + 2));
    }
    getStream.cut();
  });

  it('gets 400 if the next event is no longer stored, or the id is unknown', async () => {
    const { url } = await serve({ limits: withFixed({}, { maxStreamChars: 200 }) });
    const session = await startSession(url, revision);
    const stream = await whole(await session.open({ body: call('count', { to: 9 }, 1, progressing) }));
    const lost = [
      stream.events()[0]?.id,
      'x',
      '',
      '1',
      '1.',
      '.1',
      '99.1',
      '1.99',
      '-1.1',
      '1.1e9',
      `1.${'9'.repeat(40)}`,
    ];
    for (const id of lost) expect([id, (await session.listen(id)).status]).toEqual([id, 400]);
    const stored = await session.listen(stream.events().at(-2)?.id);
    expect((await whole(stored)).messages()).toMatchObject([{ id: 1 }]);
  });

  it('cannot be resumed in another session', async () => {
    const { url } = await serve();
    const [session, other] = [await startSession(url, revision), await startSession(url, revision)];
    const stream = await whole(await session.open({ body: call('count', { to: 1 }, 1, progressing) }));
    expect((await other.listen(stream.events()[0]?.id)).status).toBe(400);
  });

  it('continues on the newest connection, and the one before gets nothing more [s-http-39, s-http-40]', async () => {
    const { url, server } = await serve();
    const session = await startSession(url, revision);
    const first = await session.listen();
    const update = (name: string) =>
      server.update((draft) => {
        delete draft.tools[name];
      });
    update('fail');
    await first.until(() => first.messages().length >= 1, 'the change');
    const second = await session.listen(first.events()[0]?.id);
    update('echo');
    await second.until(() => second.messages().length >= 1, 'the next change');
    second.cut();
    expect(await withTimeout(first.ended, 'the first connection to be closed')).toBe(true);
    expect(first.messages()).toHaveLength(1);
  });
});

describe('the first event of a stream', () => {
  it('at 2025-11-25 has an id and no data, so that the stream can be resumed at once [s-http-15]', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25');
    const stream = await whole(await session.open({ body: call('count', { to: 1 }, 1, progressing) }));
    expect(stream.events()[0]).toEqual({ id: expect.stringMatching(/./), data: '' });
    expect((await whole(await session.listen(stream.events()[0]?.id))).messages()).toEqual(stream.messages());
  });

  it('at 2024-11-05 has no id: the stream cannot be resumed', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2024-11-05');
    const stream = await whole(await session.open({ body: call('count', { to: 1 }, 1, progressing) }));
    expect(stream.events().map(({ id }) => id)).toEqual([undefined, undefined]);
    const notResumed = await open(url, {
      method: 'GET',
      headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': '1.0' },
    });
    expect(notResumed.status).toBe(200);
    notResumed.cut();
  });
});
