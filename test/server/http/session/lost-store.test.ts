/** A store that loses its data while calls run: open streams end with the error that the session has ended. */

import { TenonError } from 'tenon';
import type { Store } from 'tenon/store';
import { expect, it, vi } from 'vitest';
import { asyncStore } from '../../../kit/async-store.ts';
import { call, request, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { secrets, stores } from './two-nodes.ts';

const progressing = { progressToken: 'mine' };
const cases = stores.flatMap(([name, make]) => resumableRevisions.map((revision) => [revision, name, make] as const));

it.each(cases)('a stream at %s ends with an error when %s store is lost', async (revision, _name, make) => {
  const store = make();
  const { url, waits } = await serve({ store }, { secrets });
  const session = await startSession(url, revision);
  const stream = await session.open({ body: call('wait', {}, 7, progressing) });
  await withTimeout(waits, 'the handler');
  await stream.until(() => stream.messages().length >= 1, 'the progress');
  store.clear();
  expect((await session.post(request('ping', undefined, 8))).status).toBe(404);
  expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
  expect(stream.messages()).toMatchObject([
    { params: { progress: 1 } },
    { id: 7, error: { message: expect.stringContaining('The session has ended') } },
  ]);
});

it.each(stores)(
  'a GET stream stays open and gets new notifications when %s store has lost its events',
  async (_name, make) => {
    const store = make();
    const keys = new Set<string>();
    const events: Store['events'] = {
      ...store.events,
      append(key, ...given) {
        keys.add(key);
        return store.events.append(key, ...given);
      },
    };
    const served = await serve({ store: { sessions: store.sessions, bus: store.bus, events } }, { secrets });
    const change = (): void =>
      served.server.update((draft) => {
        delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
      });
    const session = await startSession(served.url, '2025-11-25');
    const first = await session.listen();
    change();
    await first.until(() => first.messages().length >= 1, 'a change');
    first.cut();
    await vi.waitFor(() => expect(served.stats().streams).toBe(0));
    for (const key of keys) await store.events.deleteSession(key);
    // The log of changes is lost too, so the first change arrives as all that may have been missed.
    const expected = [['tools', 'resources', 'prompts'], ['tools']];
    for (const lists of expected) {
      const stream = await session.listen();
      const second = await session.listen();
      stream.cut();
      change();
      await second.until(() => second.messages().length >= lists.length, 'the next change');
      expect(second.messages()).toMatchObject(lists.map((list) => ({ method: `notifications/${list}/list_changed` })));
      second.cut();
      await vi.waitFor(() => expect(served.stats().streams).toBe(0));
    }
    expect(served.warnings).toEqual([]);
  },
);

it('a call keeps sending on its stream until the lost store is noticed', async () => {
  const store = stores[0][1]();
  const { url, waits, release } = await serve({ store }, { secrets });
  const session = await startSession(url, '2025-11-25');
  const stream = await session.open({ body: call('wait', {}, 7, progressing) });
  await withTimeout(waits, 'the handler');
  await stream.until(() => stream.messages().length >= 1, 'the progress');
  store.clear();
  release();
  expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
  expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }, { id: 7 }]);
});

it('[S20] a subscription that cannot be stored gets 503 with retry-after, and works once the store is back', async () => {
  const store = asyncStore();
  let isAway = false;
  const update: Store['sessions']['update'] = async (...given) => {
    if (isAway) throw new TenonError('store-failed', 'There is no connection.');
    return store.sessions.update(...given);
  };
  const { url } = await serve({ store: { ...store, sessions: { ...store.sessions, update } } }, { secrets });
  const session = await startSession(url, '2025-11-25');
  isAway = true;
  const refused = await session.post(request('resources/subscribe', { uri: 'note://one' }));
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  isAway = false;
  expect(await session.post(request('resources/subscribe', { uri: 'note://one' }))).toMatchObject({ status: 200 });
});

it('[S20] a record that could not be extended is extended by the next use of its session', async () => {
  const [, make] = stores[0] as (typeof stores)[number];
  const store = make();
  const lives: boolean[] = [];
  let isAway = true;
  const sessions: Store['sessions'] = {
    ...store.sessions,
    update(...given) {
      lives.push(!isAway);
      if (isAway) throw new TenonError('store-failed', 'The store is away.');
      return store.sessions.update(...given);
    },
  };
  const { url } = await serve({ store: { ...store, sessions } }, { secrets });
  const session = await startSession(url, '2025-11-25');
  await vi.waitFor(() => expect(lives).not.toEqual([]));
  isAway = false;
  expect((await session.post(request('ping', undefined, 8))).status).toBe(200);
  await vi.waitFor(() => expect(lives).toContain(true));
});
