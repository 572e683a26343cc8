/** Streams that are resumed at another endpoint than that of their call: no event is lost without a warning. */

import { tool } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, type RawSession, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import type { OpenResponse } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { allReceived, at, secrets, stores } from './two-nodes.ts';

interface ResumedCall {
  readonly a: Served;
  readonly b: Served;
  readonly session: RawSession;
  /** Reads at b, after the events that were sent at a. */
  readonly stream: OpenResponse;
  /** The id of the last event read at a. */
  readonly last: string | undefined;
  /** Lets the call send once more, and return. */
  release(): void;
}

const resultOf = (size: number) => ({ id: 7, result: { content: [{ text: 'x'.repeat(size) }] } });

/** A call that is resumed at another endpoint. The session stores 1000 characters of a stream, and 2000 altogether. */
async function resumeElsewhere(store: Store, size: number, revision = '2025-11-25'): Promise<ResumedCall> {
  const held = deferred();
  const large = tool({}, async (_given, ctx) => {
    ctx.reportProgress(1);
    await held.promise;
    ctx.reportProgress(2);
    return 'x'.repeat(size);
  });
  const start = () =>
    serve(
      { store, limits: withFixed({ maxSessionChars: 2000 }, { maxStreamChars: 1000 }) },
      { secrets },
      { tools: { large } },
    );
  const [a, b] = [await start(), await start()];
  const session = await startSession(a.url, revision);
  const first = await session.open({ body: call('large', {}, 7, { progressToken: 'mine' }) });
  await first.until(() => first.messages().length >= 1, 'the progress');
  const last = first.events().at(-1)?.id;
  first.cut();
  const stream = await at(b, session).listen(last);
  expect(stream.status).toBe(200);
  return { a, b, session, stream, last, release: () => held.resolve() };
}

const cases = stores.flatMap(([name, make]) =>
  resumableRevisions.flatMap((revision) => [1500, 5000].map((size) => [size, revision, name, make] as const)),
);

it.each(cases)(
  'a result of %i characters at %s is read whole at another endpoint, with %s store, whatever the session limit [s-http-24]',
  async (size, revision, _name, make) => {
    const store = make();
    const { stream, release } = await resumeElsewhere(store, size, revision);
    await allReceived(store);
    release();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject(resultOf(size));
  },
);

it.each(stores)(
  'a notification right before a large result is read at another endpoint as well, with %s store, and neither is stored',
  async (_name, make) => {
    const store = make();
    const { a, b, session, stream, last, release } = await resumeElsewhere(store, 5000);
    await allReceived(store);
    release();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 2 } }, resultOf(5000)]);
    expect((await at(b, session).listen(last)).status).toBe(400);
    expect([...a.warnings, ...b.warnings]).toEqual([]);
  },
);

/** A store whose bus delays the message that a stream was resumed, until `flush` is called. */
function delayedBus(): { readonly store: Store; flush(): void } {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  const { publish, subscribe } = memory.bus;
  const bus: Store['bus'] = {
    subscribe,
    publish(topic, message) {
      if (!message.includes('"resumed"')) return publish(topic, message);
      waiting.push(() => void publish(topic, message));
    },
  };
  return {
    store: { sessions: memory.sessions, events: memory.events, bus },
    flush: () => waiting.splice(0).forEach((publishNow) => publishNow()),
  };
}

describe('if a call ends before its endpoint knows that it was resumed elsewhere', () => {
  /** Resolves when the call has ended. */
  async function ended({ a, release }: ResumedCall): Promise<void> {
    release();
    await expect.poll(() => a.stats().activeCalls).toBe(0);
  }

  it('the client gets the stored result, and its stream ends', async () => {
    const { store, flush } = delayedBus();
    const resumedCall = await resumeElsewhere(store, 500);
    await ended(resumedCall);
    flush();
    expect(await withTimeout(resumedCall.stream.ended, 'the end of the stream')).toBe(true);
    expect(resumedCall.stream.messages()).toMatchObject([{ params: { progress: 2 } }, resultOf(500)]);
  });

  it('a result that is too large to be stored is passed to onWarning, and resuming gets 400', async () => {
    const { store, flush } = delayedBus();
    const resumedCall = await resumeElsewhere(store, 5000);
    const { b, session, stream, last } = resumedCall;
    await ended(resumedCall);
    flush();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toEqual([]);
    expect(b.warnings).toMatchObject([{ code: 'store-failed', message: expect.stringContaining('no longer stored') }]);
    const again = await at(b, session).listen(last);
    await withTimeout(again.ended, 'the end of the stream');
    expect([again.status, again.text()]).toEqual([400, expect.stringContaining('no longer stored')]);
  });
});
