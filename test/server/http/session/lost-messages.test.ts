/** Nodes that share a store and lose messages of its bus: what clients sent is in the records, and is not lost. */
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, vi } from 'vitest';
import { asyncStore } from '../../../kit/async-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { call, notification, type RawSession, request, startSession } from '../../../kit/http/messages.ts';
import type { Json, OpenResponse } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { lossyStore } from '../../../kit/lossy-bus.ts';
import { lossyNodes } from '../../../kit/lossy-nodes.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { at, secrets } from './two-nodes.ts';

const revision = '2025-11-25';

/** A call that waits for the answer to its elicitation. */
async function greeting(session: RawSession, id = 1): Promise<{ stream: OpenResponse; asked: unknown }> {
  const stream = await session.open({ body: call('greet', {}, id) });
  await stream.until(() => stream.messages().length >= 1, 'the elicitation');
  return { stream, asked: stream.messages()[0]?.id };
}

const answer = (id: unknown, name = 'Ada'): Json => ({
  jsonrpc: '2.0',
  id,
  result: { action: 'accept', content: { name } },
});

const elicitation = { capabilities: { elicitation: {} } };
const keyOf = ({ id }: RawSession): string => id.slice(0, 16);
const answersIn = async (store: Store, session: RawSession): Promise<string[]> =>
  Object.keys((await store.sessions.read(keyOf(session))) ?? {}).filter((name) => name.startsWith('answer '));

describe('an answer to a server request that arrives at another node', () => {
  it('reaches the handler although the node that waits gets no message, and leaves the record [S31]', async () => {
    const { a, b, store, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision, elicitation);
    const { stream, asked } = await greeting(session);
    busOfA.cut();
    expect((await at(b, session).post(answer(asked))).status).toBe(202);
    await withTimeout(stream.ended, 'the result');
    expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } });
    await vi.waitUntil(async () => (await answersIn(store, session)).length === 0);
  });

  it('gets 503 with retry-after where the store fails, and 202 when it is sent again [S31]', async () => {
    const store = createMemoryStore();
    let fails = false;
    const { update } = store.sessions;
    const { a, b } = await lossyNodes(store);
    store.sessions.update = (...given) => {
      if (fails) throw new Error('The store is away.');
      return update(...given);
    };
    const session = await startSession(a.url, revision, elicitation);
    const { stream, asked } = await greeting(session);
    fails = true;
    const refused = await at(b, session).post(answer(asked));
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(b.warnings).toMatchObject([{ code: 'store-failed' }]);
    fails = false;
    expect((await at(b, session).post(answer(asked))).status).toBe(202);
    await withTimeout(stream.ended, 'the result');
    expect(stream.messages()).toHaveLength(2);
  });

  it('gets 503 where the answers of its session that wait for other nodes are too many or too long [S31]', async () => {
    const { b } = await lossyNodes();
    const session = await startSession(b.url, revision, elicitation);
    for (let n = 1; n <= 64; n++) expect((await session.post(answer(`elsewher-0-${n}`))).status).toBe(202);
    expect((await session.post(answer('elsewher-0-65'))).status).toBe(503);
    // The same answer again is not another one.
    expect((await session.post(answer('elsewher-0-64'))).status).toBe(202);
    const other = await startSession(b.url, revision, elicitation);
    const statuses: number[] = [];
    for (const n of [1, 2, 3]) statuses.push((await other.post(answer(`elsewher-0-${n}`, 'x'.repeat(3e6)))).status);
    expect(statuses).toEqual([202, 202, 503]);
  });

  it('makes room for others once the time to answer is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { b, store } = await lossyNodes(createMemoryStore(), { timeouts: { inputMs: 5000 } });
      const session = await startSession(b.url, revision, elicitation);
      for (let n = 1; n <= 64; n++) await session.post(answer(`elsewher-0-${n}`));
      vi.setSystemTime(Date.now() + 5001);
      expect((await session.post(answer('elsewher-0-65'))).status).toBe(202);
      expect(await answersIn(store, session)).toEqual(['answer elsewher-0-65']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not lost in a batch whose requests run only after it is stored [S31]', async () => {
    const store = createMemoryStore();
    const { a, b } = await lossyNodes(store);
    const { update } = store.sessions;
    let fails = true;
    store.sessions.update = (key, fields, expires) => {
      if (fails && Object.keys(fields).some((name) => name.startsWith('answer '))) throw new Error('away');
      return update(key, fields, expires);
    };
    const session = await startSession(a.url, '2025-03-26', elicitation);
    const batch = [answer('elsewher-0-1'), request('ping', {}, 9)];
    expect((await at(b, session).post(batch)).status).toBe(503);
    fails = false;
    expect((await at(b, session).post(batch)).json).toMatchObject([{ id: 9, result: {} }]);
    expect(await answersIn(store, session)).toEqual(['answer elsewher-0-1']);
  });
});

describe('a node that has lost messages', () => {
  it('cancels a call whose cancellation arrived at another node meanwhile [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision);
    const stream = await session.open({ body: call('wait', {}, 7, { progressToken: 1 }) });
    await withTimeout(a.waits, 'the handler');
    busOfA.cut();
    expect((await at(b, session).post(notification('notifications/cancelled', { requestId: 7 }))).status).toBe(202);
    busOfA.reconnect();
    await withTimeout(a.aborted, 'the handler to be aborted');
    await withTimeout(stream.ended, 'the end of the stream');
  });

  it('ends the sessions that were ended elsewhere meanwhile [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision);
    const stream = await session.listen();
    busOfA.cut();
    expect((await at(b, session).end()).status).toBe(204);
    busOfA.reconnect();
    await withTimeout(stream.ended, 'the end of the stream');
    expect((await session.post(request('ping'))).status).toBe(404);
  });

  it('sends the events of a stream that is read at another node on, and gets those of others [S31]', async () => {
    const { a, b, busOfA, busOfB } = await lossyNodes();
    const session = await startSession(a.url, revision);
    const stream = await session.open({ body: call('wait', {}, 7, { progressToken: 1 }) });
    await stream.until(() => stream.messages().length >= 1, 'the progress');
    busOfA.cut();
    busOfB.cut();
    const resumed = await at(b, session).listen(stream.events().at(-1)?.id);
    stream.cut();
    busOfB.reconnect();
    busOfA.reconnect();
    a.release();
    await withTimeout(resumed.ended, 'the result');
    expect(resumed.messages().at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'waited' }] } });
  });

  it('knows the subscriptions that were made and ended elsewhere meanwhile [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const stream = await session.listen();
    busOfA.cut();
    await at(b, session).post(request('resources/unsubscribe', { uri: 'note://one' }));
    await at(b, session).post(request('resources/subscribe', { uri: 'note://two' }));
    busOfA.reconnect();
    const updates = () => stream.messages().map(({ params }) => (params as Json).uri);
    await vi.waitUntil(() => {
      a.server.sendResourceUpdated('note://two');
      return updates().length > 0;
    });
    const before = updates().length;
    a.server.sendResourceUpdated('note://one');
    a.server.sendResourceUpdated('note://two');
    await stream.until(() => updates().length > before, 'the update');
    expect(updates()).not.toContain('note://one');
    stream.cut();
  });
});

describe('a client', () => {
  it('that listens while messages are lost gets the next changes [S31]', async () => {
    const store = asyncStore();
    const { a, b, busOfB } = await lossyNodes(store);
    const session = await startSession(a.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    await at(b, session).post(request('ping'));
    const [asked, held] = [deferred(), deferred()];
    const { read } = store.sessions;
    store.sessions.read = async (...given) => {
      asked.resolve();
      await held.promise;
      return read(...given);
    };
    const listening = at(b, session).listen();
    await withTimeout(asked.promise, 'the record to be read');
    busOfB.reconnect();
    held.resolve();
    const stream = await listening;
    a.server.sendResourceUpdated('note://one');
    await stream.until(() => stream.messages().length > 0, 'the update');
    expect(stream.messages()[0]).toMatchObject({ params: { uri: 'note://one' } });
    stream.cut();
  });

  it('that listens while its session ends elsewhere gets 404 [S31]', async () => {
    const store = asyncStore();
    const { a, b } = await lossyNodes(store);
    const session = await startSession(a.url, revision);
    await at(b, session).post(request('ping'));
    const [asked, held] = [deferred(), deferred()];
    const { read } = store.sessions;
    store.sessions.read = async (...given) => {
      asked.resolve();
      await held.promise;
      return read(...given);
    };
    const listening = at(b, session).listen();
    await withTimeout(asked.promise, 'the record to be read');
    await session.end();
    await vi.waitUntil(() => b.stats().sessions === 0);
    held.resolve();
    expect((await listening).status).toBe(404);
  });

  it('that listens at a node which has lost that another notifies its session listens again, and gets the next changes [S31]', async () => {
    const { a, b, busOfB } = await lossyNodes();
    const session = await startSession(a.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const stream = await at(b, session).listen();
    busOfB.cut();
    // Listens at the first node for a moment: there is no client, but it goes on to notify the session.
    const short = await session.listen();
    short.cut();
    await vi.waitUntil(() => a.stats().streams === 0);
    busOfB.reconnect();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.text()).toContain('retry: ');
    const next = await at(b, session).listen();
    a.server.sendResourceUpdated('note://one');
    await next.until(() => next.messages().length > 0, 'the update');
    next.cut();
  });

  it('that resumes while events cannot be read gets them once they can be [S20, S31]', async () => {
    const store = asyncStore();
    const { readAfter } = store.events;
    const { url, server } = await serve({ store }, { secrets });
    const session = await startSession(url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const first = await session.listen();
    for (const count of [1, 2]) {
      server.sendResourceUpdated('note://one');
      await first.until(() => first.messages().length >= count, 'an update');
    }
    first.cut();
    let reads = 0;
    // The first read finds the place of the stream, the second the events after it.
    store.events.readAfter = async (...given) => {
      if (++reads === 2) throw new Error('away');
      return readAfter(...given);
    };
    const resumed = await session.listen(first.events()[0]?.id);
    await resumed.until(() => resumed.messages().length > 0, 'the second update');
    expect(resumed.events()).toEqual(first.events().slice(1));
    resumed.cut();
  });

  it('whose subscription cannot be announced gets 503 with retry-after, and is notified once it has sent it again [S31]', async () => {
    const { a, b, busOfB } = await lossyNodes();
    const session = await startSession(a.url, revision);
    const stream = await session.listen();
    await at(b, session).post(request('ping'));
    busOfB.fail(true);
    const subscribe = () => at(b, session).post(request('resources/subscribe', { uri: 'note://one' }));
    expect(await subscribe()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    busOfB.fail(false);
    expect(await subscribe()).toMatchObject({ status: 200 });
    a.server.sendResourceUpdated('note://one');
    await stream.until(() => stream.messages().length > 0, 'the update');
    stream.cut();
  });
});

describe('a message that arrives late', () => {
  it('does not undo what the client has set since at the node that gets it [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision);
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const stream = await session.listen();
    busOfA.hold();
    await at(b, session).post(request('resources/unsubscribe', { uri: 'note://one' }));
    await at(b, session).post(request('resources/subscribe', { uri: 'note://two' }));
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    await session.post(request('resources/unsubscribe', { uri: 'note://two' }));
    busOfA.deliver();
    // Its record is read again after each message, so a subscription at the other node shows that it was.
    await at(b, session).post(request('resources/subscribe', { uri: 'note://three' }));
    const updates = () => stream.messages().map(({ params }) => (params as Json).uri);
    await vi.waitUntil(() => {
      a.server.sendResourceUpdated('note://three');
      return updates().length > 0;
    });
    await expect
      .poll(() => {
        const before = updates().length;
        a.server.sendResourceUpdated('note://two');
        a.server.sendResourceUpdated('note://one');
        return stream
          .until(() => updates().slice(before).includes('note://one'), 'it')
          .then(() => updates().slice(before));
      })
      .not.toContain('note://two');
    stream.cut();
  });

  it('does not cost the client the changes since its subscription [S31]', async () => {
    const { a, b, busOfA } = await lossyNodes();
    const session = await startSession(a.url, revision);
    const stream = await session.listen();
    busOfA.hold();
    await at(b, session).post(request('resources/subscribe', { uri: 'note://one' }));
    a.server.sendResourceUpdated('note://one');
    const other = await startSession(a.url, revision);
    await other.post(request('resources/subscribe', { uri: 'note://one' }));
    const listening = await other.listen();
    a.server.sendResourceUpdated('note://one');
    await listening.until(() => listening.messages().length > 0, 'the change at the same node');
    busOfA.deliver();
    await stream.until(() => stream.messages().length > 0, 'the change');
    expect(stream.messages()[0]).toMatchObject({ params: { uri: 'note://one' } });
    listening.cut();
    stream.cut();
  });
});

describe('a client whose notification that it is ready was lost', () => {
  it('is notified of changes once it subscribes, at every node [S31]', async () => {
    const { a, b } = await lossyNodes();
    const session = await startSession(a.url, revision, { isReady: false });
    await at(b, session).post(request('resources/subscribe', { uri: 'note://one' }));
    await at(b, session).post(request('resources/subscribe', { uri: 'note://two' }));
    await at(b, session).post(request('resources/unsubscribe', { uri: 'note://two' }));
    for (const node of [a, b]) {
      const stream = await at(node, session).listen();
      node.server.sendResourceUpdated('note://one');
      await stream.until(() => stream.messages().length > 0, 'the update');
      expect(stream.messages()[0]).toMatchObject({ params: { uri: 'note://one' } });
      stream.cut();
    }
  });
});

describe('a node that cannot reach the bus', () => {
  it('subscribes later, and reports what it could not publish [S31]', async () => {
    const store = asyncStore();
    const [busOfA, busOfB] = [lossyStore(store), lossyStore(store)];
    busOfA.fail(true);
    const a = await serve({ store: busOfA.store }, { secrets });
    const b = await serve({ store: busOfB.store }, { secrets });
    const session = await startSession(a.url, revision);
    const running = await at(b, session).open({ body: call('wait', {}, 7, { progressToken: 1 }) });
    await withTimeout(b.waits, 'the handler');
    // The record has it, but the message cannot be published.
    await session.post(notification('notifications/cancelled', { requestId: 7 }));
    expect(a.warnings[0]).toMatchObject({ code: 'store-failed' });
    busOfA.fail(false);
    await withTimeout(b.aborted, 'the handler to be aborted');
    await withTimeout(running.ended, 'the end of the stream');
  });
});
