/** Gateways that share a store: a caller whose call waits at one of them may answer at another. */
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock, type FakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { asyncStore } from '../kit/async-store.ts';
import { lossyStore } from '../kit/lossy-bus.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { served } from './start.ts';
import { accept, askedAt, askingServer, roundAt, startNode } from './two-nodes.ts';

const lost = { code: 'outcome-unknown' };

/** The store, and what resolves when a round was stored there. */
function watched(store: Store) {
  const stored = createDeferred<void>();
  const sessions: Store['sessions'] = {
    ...store.sessions,
    get epoch() {
      return store.sessions.epoch;
    },
    create: async (key, fields, expires) => {
      await store.sessions.create(key, fields, expires);
      if (key.startsWith('gateway-round/')) stored.resolve();
    },
    read: (...given) => store.sessions.read(...given),
    update: (...given) => store.sessions.update(...given),
    delete: (...given) => store.sessions.delete(...given),
    deleteExpired: () => store.sessions.deleteExpired(),
  };
  return { store: { ...store, sessions }, stored: withTimeout(stored.promise, 'the round') };
}

describe.each([
  ['in memory', createMemoryStore],
  ['that answers later', asyncStore],
])('Two gateways with a store %s', (_kind, openStore) => {
  const start = async (ended?: (reason: string) => void) => {
    const begun: string[] = [];
    const upstream = await served(askingServer(begun, ended));
    const store: Store = openStore();
    return { begun, upstream, store, a: await startNode(upstream, store), b: await startNode(upstream, store) };
  };

  it('continue a call at either of them, in each of its rounds, and the upstream runs it once', async () => {
    const { a, b, begun } = await start();
    for (const [second, third] of [
      [b, a],
      [b, b],
      [a, b],
    ] as const) {
      begun.length = 0;
      const first = await askedAt(a, 'greet');
      expect(JSON.stringify(first.inputRequests)).toContain('Who?');
      const next = await askedAt(second, 'greet', { after: first });
      expect(JSON.stringify(next.inputRequests)).toContain('And who else?');
      const last = await roundAt(third, 'greet', { after: next, answer: accept('Bob') });
      expect(JSON.stringify(last)).toMatch(/Ada.*Bob/);
      expect(begun).toEqual(['greet']);
    }
    expect(a.gateway.status().upstreams.one?.parked).toBe(0);
    expect([...a.warnings, ...b.warnings]).toEqual([]);
  });

  it('answer the same retry with the same outcome at both, and refuse other answers', async () => {
    const { a, b, begun } = await start();
    const first = await askedAt(a, 'both');
    const nodes = [b, a, b];
    const outcomes = await Promise.all(nodes.map((node) => roundAt(node, 'both', { after: first })));
    outcomes.push(await roundAt(b, 'both', { after: first }));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(JSON.stringify(outcomes[0])).toMatch(/Ada.*Ada/);
    for (const node of [a, b])
      await expect(roundAt(node, 'both', { after: first, answer: accept('Eve') })).rejects.toMatchObject({
        cause: { data: { requestState: 'used' } },
      });
    expect(begun).toEqual(['both']);
  });

  it('repeat the requests of the next round to a caller that has lost them', async () => {
    const { a, b, begun } = await start();
    const first = await askedAt(a, 'greet');
    const next = await askedAt(b, 'greet', { after: first });
    const again = await askedAt(b, 'greet', { after: first, answer: accept('Eve') });
    expect(again.inputRequests).toEqual(next.inputRequests);
    const last = await roundAt(a, 'greet', { after: again, answer: accept('Bob') });
    expect(JSON.stringify(last)).toMatch(/Ada.*Bob/);
    expect(begun).toEqual(['greet']);
  });

  it('collect the answers to several requests', async () => {
    const { a, b, begun } = await start();
    const first = await askedAt(a, 'both');
    const [one = '', two = ''] = Object.keys(first.inputRequests);
    const second = await askedAt(b, 'both', { after: first, answers: { [two]: accept('Two') } });
    expect(Object.keys(second.inputRequests)).toEqual([one]);
    const last = await roundAt(a, 'both', { after: second, answer: accept('One') });
    expect(JSON.stringify(last)).toMatch(/One.*Two/);
    const other = await askedAt(a, 'both');
    const rest = await askedAt(a, 'both', { after: other, answers: { [one]: accept('One') } });
    expect(JSON.stringify(await roundAt(b, 'both', { after: rest, answer: accept('Two') }))).toMatch(/One.*Two/);
    expect(begun).toEqual(['both', 'both']);
  });

  it('refuse the state of another user', async () => {
    const { a, b, begun } = await start();
    const first = await askedAt(a, 'greet');
    await expect(roundAt(b, 'greet', { after: first, user: 'eve' })).rejects.toMatchObject({
      cause: { data: { requestState: 'refused' } },
    });
    await askedAt(b, 'greet', { after: first });
    expect(begun).toEqual(['greet']);
  });

  it('pass on the error of the upstream, and refuse an answer that is none', async () => {
    const { a, b } = await start();
    const first = await askedAt(a, 'fail');
    await expect(roundAt(b, 'fail', { after: first })).rejects.toMatchObject({
      code: 1001,
      message: 'Own error',
      data: { more: 1 },
    });
    const second = await askedAt(a, 'fail');
    const noForm = { model: 'm', role: 'assistant', content: { type: 'text', text: 'four' } };
    await expect(roundAt(b, 'fail', { after: second, answer: noForm })).rejects.toThrow('is not valid');
    expect(a.gateway.status().upstreams.one?.parked).toBe(0);
  });

  it('pass on progress and log messages', async () => {
    const { a, b } = await start();
    const first = await askedAt(a, 'report', { call: { logLevel: 'debug' } });
    const seen: unknown[] = [];
    const last = await roundAt(b, 'report', {
      after: first,
      connect: { onLog: ({ level, data }) => void seen.push([level, data]) },
      call: { logLevel: 'debug', onProgress: (update: unknown) => void seen.push(update) },
    });
    expect(JSON.stringify(last)).toContain('reported');
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }, ['warning', { step: 1 }]]);
  });

  it('end the call at the upstream if the caller leaves the other one', async () => {
    const ended = createDeferred<string>();
    const { a, b, begun } = await start(ended.resolve);
    const first = await askedAt(a, 'stay');
    const controller = new AbortController();
    const last = roundAt(b, 'stay', { after: first, call: { signal: controller.signal } });
    await expect.poll(() => begun).toEqual(['stay', 'stays']);
    controller.abort();
    await expect(last).rejects.toMatchObject({ code: 'cancelled' });
    await withTimeout(ended.promise, 'the end at the upstream');
    expect(a.gateway.status().upstreams.one?.parked).toBe(0);
  });
});

/** A gateway whose time passes by `clock`: on its own only when the test has ended, so that it can close. */
async function startTimed(upstream: string, store: Store, clock: FakeClock = createFakeClock()) {
  let running: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(running));
  const node = await startNode(upstream, store, withClock(clock));
  onTestFinished(() => {
    running = setInterval(() => clock.advance(100), 1);
  });
  return node;
}

/** What comes of a call while time passes. */
async function endingOf(call: Promise<unknown>, clock: FakeClock, stepMs = 1000): Promise<unknown> {
  let isOver = false;
  const ending = call.finally(() => {
    isOver = true;
  });
  await expect.poll(() => (clock.advance(stepMs), isOver)).toBe(true);
  return ending;
}

describe('A call that another gateway has', () => {
  it('has an unknown outcome once that one has closed, and is not run again', async () => {
    const begun: string[] = [];
    const upstream = await served(askingServer(begun));
    const store = createMemoryStore();
    const [a, b] = [await startNode(upstream, store), await startNode(upstream, store)];
    const first = await askedAt(a, 'greet');
    await a.gateway.close();
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(roundAt(b, 'greet', { after: first })).rejects.toMatchObject(lost);
    expect(begun).toEqual(['greet']);
  });

  it('has an unknown outcome if that one does not take the answers within 10 s', async () => {
    const begun: string[] = [];
    const upstream = await served(askingServer(begun));
    const store = createMemoryStore();
    const dead = lossyStore(store);
    const clock = createFakeClock();
    const { store: seen, stored } = watched(store);
    const [a, b] = [await startNode(upstream, dead.store), await startTimed(upstream, seen, clock)];
    const first = await askedAt(a, 'greet');
    dead.cut();
    const second = roundAt(b, 'greet', { after: first }).catch((error: unknown) => error);
    await stored;
    clock.advance(10_000);
    expect(await second).toMatchObject(lost);
    await expect(roundAt(b, 'greet', { after: first })).rejects.toMatchObject(lost);
    expect(begun).toEqual(['greet']);
  });

  it('has an unknown outcome if that one stops while it runs, and ends there should it go on', async () => {
    const begun: string[] = [];
    const ended = createDeferred<string>();
    const upstream = await served(askingServer(begun, ended.resolve));
    const store = createMemoryStore();
    const clock = createFakeClock();
    // Its clock stands still: it sends one sign.
    const a = await startTimed(upstream, store);
    const b = await startTimed(upstream, store, clock);
    const first = await askedAt(a, 'stay');
    const second = roundAt(b, 'stay', { after: first }).catch((error: unknown) => error);
    await expect.poll(() => begun).toEqual(['stay', 'stays']);
    expect(await endingOf(second, clock)).toMatchObject(lost);
    await withTimeout(ended.promise, 'the end at the upstream');
    expect(begun).toEqual(['stay', 'stays']);
  });

  it('continues if messages between them are lost: they are sent again', async () => {
    const begun: string[] = [];
    const upstream = await served(askingServer(begun));
    const store = createMemoryStore();
    const clock = createFakeClock();
    const [busOfA, busOfB] = [lossyStore(store), lossyStore(store)];
    const { store: seen, stored } = watched(busOfB.store);
    const [a, b] = [await startNode(upstream, busOfA.store), await startTimed(upstream, seen, clock)];
    const first = await askedAt(a, 'greet');
    busOfA.cut();
    busOfB.cut();
    const second = roundAt(b, 'greet', { after: first });
    await stored;
    clock.advance(1000);
    busOfA.reconnect();
    // B gets no message that there is an outcome: it looks.
    expect(await endingOf(second, clock, 100)).toMatchObject({ resultType: 'input_required' });
    expect(begun).toEqual(['greet']);
  });
});
