/** Streams that are read at another endpoint than the one at which their call runs: nothing is lost there in silence. */

import { tool } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { call, type RawSession, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import type { OpenResponse } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { allReceived, at, secrets, stores } from './two-nodes.ts';

interface Following {
  readonly a: Served;
  readonly b: Served;
  readonly session: RawSession;
  /** Reads at b, after what was told at a. */
  readonly stream: OpenResponse;
  /** The event that it follows. */
  readonly last: string | undefined;
  /** Has the call tell once more, and end. */
  release(): void;
}

const endingOf = (size: number) => ({ id: 7, result: { content: [{ text: 'x'.repeat(size) }] } });

/** A call at one endpoint, of a session that keeps 1000 characters of a stream and 2000 altogether, read at another. */
async function follow(store: Store, size: number, revision = '2025-11-25'): Promise<Following> {
  const held = deferred();
  const large = tool({}, async (_given, ctx) => {
    ctx.reportProgress(1);
    await held.promise;
    ctx.reportProgress(2);
    return 'x'.repeat(size);
  });
  const start = () =>
    serve(
      { sessions: { store }, limits: { maxStreamChars: 1000, maxSessionChars: 2000 } },
      { secrets },
      { tools: { large } },
    );
  const [a, b] = [await start(), await start()];
  const session = await startSession(a.url, revision);
  const first = await session.open({ body: call('large', {}, 7, { progressToken: 'mine' }) });
  await first.until(() => first.messages().length === 1, 'the progress');
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
  'a result of %i characters in %s is read whole elsewhere, over a store that answers %s, whatever a session may keep [s-http-24]',
  async (size, revision, _name, make) => {
    const store = make();
    const { stream, release } = await follow(store, size, revision);
    await allReceived(store);
    release();
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject(endingOf(size));
  },
);

it.each(stores)(
  'what is told right before a large result is read elsewhere as well, over a store that answers %s, and neither is kept',
  async (_name, make) => {
    const store = make();
    const { a, b, session, stream, last, release } = await follow(store, 5000);
    await allReceived(store);
    release();
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 2 } }, endingOf(5000)]);
    expect((await at(b, session).listen(last)).status).toBe(400);
    expect([...a.faults, ...b.faults]).toEqual([]);
  },
);

/** A store whose bus holds back that a stream was taken up, until it is told to go on. */
function slowToNotify(): { readonly store: Store; goOn(): void } {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  const { publish, subscribe } = memory.bus;
  const bus: Store['bus'] = {
    subscribe,
    publish(topic, message) {
      if (!message.includes('"taken"')) return publish(topic, message);
      waiting.push(() => void publish(topic, message));
    },
  };
  return {
    store: { sessions: memory.sessions, events: memory.events, bus },
    goOn: () => waiting.splice(0).forEach((notify) => notify()),
  };
}

describe('where a call ends before its endpoint hears that it is read elsewhere', () => {
  /** Settles when the call has ended. */
  async function ended({ a, release }: Following): Promise<void> {
    release();
    await expect.poll(() => a.stats().activeCalls).toBe(0);
  }

  it('the reader gets the result that is kept, and its stream ends', async () => {
    const { store, goOn } = slowToNotify();
    const following = await follow(store, 500);
    await ended(following);
    goOn();
    expect(await withTimeout(following.stream.ended, 'the end')).toBe(true);
    expect(following.stream.messages()).toMatchObject([{ params: { progress: 2 } }, endingOf(500)]);
  });

  it('one that is too large to be kept is told as a fault, and refused to who comes for it', async () => {
    const { store, goOn } = slowToNotify();
    const following = await follow(store, 5000);
    const { b, session, stream, last } = following;
    await ended(following);
    goOn();
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toEqual([]);
    expect(b.faults).toMatchObject([{ code: 'store-failed', message: expect.stringContaining('no longer stored') }]);
    const again = await at(b, session).listen(last);
    await withTimeout(again.ended, 'the end');
    expect([again.status, again.text()]).toEqual([400, expect.stringContaining('no longer stored')]);
  });
});
