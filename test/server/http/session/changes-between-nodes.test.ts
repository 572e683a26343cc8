/** Changes of a server on several nodes: each listener gets each of them once, or learns that it may have missed some. */
import type { Authenticate } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import type { Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { asyncStore } from '../../../kit/async-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { lone, loneCall, type RawSession, request, sessionAt, startSession } from '../../../kit/http/messages.ts';
import { type Json, type OpenResponse, open, send } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { lossyNodes } from '../../../kit/lossy-nodes.ts';
import { deadNodeMs, mortalNodes } from './mortal-nodes.ts';
import { at, secrets } from './two-nodes.ts';

const revision = '2025-11-25';
const listChanged = 'notifications/tools/list_changed';
const updated = 'notifications/resources/updated';

const sentOn = (stream: OpenResponse): unknown[] => stream.messages().map(({ method }) => method);
const urisOn = (stream: OpenResponse): unknown[] =>
  stream.messages().flatMap(({ method, params }) => (method === updated ? [(params as Json).uri] : []));

const changeTools = ({ server }: Served): void =>
  server.update((draft) => {
    delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
  });

const subscribed = async (node: Served, ...uris: string[]): Promise<RawSession> => {
  const session = await startSession(node.url, revision);
  for (const uri of uris) await session.post(request('resources/subscribe', { uri }));
  return session;
};

/** Sends updates of a resource one after the other, from the given nodes in turn. */
async function update(nodes: readonly Served[], uri: string, stream: OpenResponse): Promise<void> {
  for (const node of nodes) {
    const before = urisOn(stream).length;
    node.server.sendResourceUpdated(uri);
    await stream.until(() => urisOn(stream).length > before, 'the update');
  }
}

/** A subscription at a node, acknowledged. */
async function listening({ url }: Served): Promise<OpenResponse> {
  const stream = await open(
    url,
    lone('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://one'] } }),
  );
  await stream.until(() => stream.messages().length >= 1, 'the acknowledgement');
  return stream;
}

/** A store that does not take changes while it fails. */
function failingLog() {
  const store = asyncStore();
  let fails = false;
  let onFailed = (): void => {};
  const append: Store['events']['append'] = (key, ...given) => {
    if (!fails || !key.startsWith('changes/')) return store.events.append(key, ...given);
    onFailed();
    return Promise.reject(new Error('away'));
  };
  const whenFailed = (times: number): Promise<void> =>
    new Promise((resolve) => {
      let left = times;
      onFailed = () => void (--left === 0 && resolve());
    });
  const setFails = (is: boolean): void => void (fails = is);
  return { store: { ...store, events: { ...store.events, append } }, setFails, whenFailed };
}

/** An operation of a store that does not begin before it is released. */
function held<Given extends unknown[], T>(operation: (...given: Given) => T | Promise<T>) {
  const { promise, resolve } = deferred();
  return { run: async (...given: Given): Promise<T> => (await promise, operation(...given)), release: () => resolve() };
}

describe('a change', () => {
  it('between the end of a node and the moment in which a client listens at another reaches that client [S31]', async () => {
    const { a, b } = await lossyNodes();
    const session = await subscribed(a, 'note://one');
    const first = await session.listen();
    await update([a], 'note://one', first);
    await a.close();
    b.server.sendResourceUpdated('note://one');
    changeTools(b);
    b.server.sendResourceUpdated('note://other');
    const stream = await at(b, session).listen(first.events().at(-1)?.id);
    await stream.until(() => stream.messages().length >= 2, 'the changes');
    await update([b], 'note://one', stream);
    expect(sentOn(stream)).toEqual([updated, listChanged, updated]);
    stream.cut();
  });

  it('is sent once while notifications move to another node and both take themselves for the one that sends [S31]', async () => {
    const { a, b, busOfA, busOfB } = await lossyNodes();
    const session = await subscribed(a, 'note://one');
    const first = await session.listen();
    await update([a, b], 'note://one', first);
    // The first node does not learn of the move.
    busOfA.cut();
    const stream = await at(b, session).listen(first.events().at(-1)?.id);
    await update([b, b], 'note://one', stream);
    busOfA.reconnect();
    await update([a, b, a], 'note://one', stream);
    busOfB.cut();
    a.server.sendResourceUpdated('note://one');
    busOfB.reconnect();
    await stream.until(() => urisOn(stream).length >= 6, 'the last update');
    await update([b], 'note://one', stream);
    expect(stream.messages()).toHaveLength(7);
    expect(new Set(stream.events().map(({ id }) => id)).size).toBe(stream.events().length);
    stream.cut();
  });

  it('whose message was lost reaches the sessions and the subscriptions of a node once [S31]', async () => {
    const { a, b, busOfB } = await lossyNodes();
    const session = await subscribed(b, 'note://one');
    const stream = await session.listen();
    const filter = { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } };
    const subscription = await open(b.url, lone('subscriptions/listen', filter));
    await subscription.until(() => subscription.messages().length >= 1, 'the acknowledgement');
    await update([b], 'note://one', stream);
    busOfB.cut();
    a.server.sendResourceUpdated('note://one');
    changeTools(a);
    busOfB.reconnect();
    for (const one of [stream, subscription])
      await one.until(() => sentOn(one).includes(listChanged), 'the change of the list');
    await update([a], 'note://one', stream);
    expect(sentOn(stream)).toEqual([updated, updated, listChanged, updated]);
    await subscription.until(() => sentOn(subscription).length >= 5, 'the last update');
    expect(sentOn(subscription).slice(1)).toEqual([updated, updated, listChanged, updated]);
    stream.cut();
    subscription.cut();
  });

  it('at another node is decided with who listens there; the store does not know [S23, S31]', async () => {
    const policy = `
version: 1
rules:
  - { id: all, allow: [list, call, read, subscribe], to: { role: editor }, on: { tool: "*", resource: "**" } }
  - { id: few, allow: [list, call], to: { role: visitor }, on: { tool: "echo" } }
`;
    const written: string[] = [];
    const store = asyncStore();
    const { create, update: change } = store.sessions;
    store.sessions.create = (...given) => (written.push(JSON.stringify(given)), create(...given));
    store.sessions.update = (...given) => (written.push(JSON.stringify(given)), change(...given));
    const authenticate: Authenticate = ({ header }) => ({
      issuer: 'test',
      subject: 'ada',
      roles: [header('authorization') ?? 'none'],
    });
    const node = () =>
      serve({ store, authenticate }, { secrets: ['a secret of both'], guard: guard({ policy: createPolicy(policy) }) });
    const [a, b] = [await node(), await node()];
    const session = await startSession(a.url, revision, { headers: { authorization: 'editor' } });
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    await a.close();
    b.server.sendResourceUpdated('note://one');
    const visitor = { ...session, headers: { ...session.headers, authorization: 'visitor' } };
    const seen = await sessionAt(b.url, visitor).listen();
    b.server.update((draft) => void delete draft.tools.echo);
    await seen.until(() => sentOn(seen).length > 0, 'a change that a visitor may see');
    expect(sentOn(seen)).toEqual([listChanged]);
    seen.cut();
    const stream = await sessionAt(b.url, session).listen();
    b.server.sendResourceUpdated('note://one');
    await stream.until(() => urisOn(stream).length > 0, 'the update');
    expect(written.join()).not.toMatch(/editor|visitor/);
    stream.cut();
  });

  it('that is no longer stored makes a node notify its listeners of everything they listen to [S31]', async () => {
    const { a, b, busOfB } = await lossyNodes();
    const session = await subscribed(b, 'note://one', 'note://two');
    const stream = await session.listen();
    const filter = { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } };
    const subscription = await open(b.url, lone('subscriptions/listen', filter));
    await subscription.until(() => subscription.messages().length >= 1, 'the acknowledgement');
    await update([a], 'note://one', stream);
    busOfB.cut();
    // Of another resource: together longer than the log.
    for (let n = 0; n < 40; n++) a.server.sendResourceUpdated(`note://other/${n}/${'x'.repeat(10_000)}`);
    const other = await open(a.url, lone('subscriptions/listen', filter));
    a.server.sendResourceUpdated('note://one');
    await other.until(() => urisOn(other).length >= 1, 'the change to be stored');
    busOfB.reconnect();
    await stream.until(() => urisOn(stream).length >= 3 && sentOn(stream).includes(listChanged), 'all changes');
    expect(urisOn(stream).slice(1).toSorted()).toEqual(['note://one', 'note://two']);
    await subscription.until(() => sentOn(subscription).length >= 4, 'all changes of the filter');
    expect(sentOn(subscription).slice(2).toSorted()).toEqual([updated, listChanged].toSorted());
    for (const one of [stream, subscription, other]) one.cut();
  });

  it('after a subscription was acknowledged is sent: a node that has not read the log of changes acknowledges none [S31]', async () => {
    const store = asyncStore();
    const a = await serve({ store }, { secrets });
    const log = held(store.events.readAfter);
    const b = await serve({ store: { ...store, events: { ...store.events, readAfter: log.run } } }, { secrets });
    const order: string[] = [];
    const early = listening(b).finally(() => order.push('acknowledged'));
    await send(b.url, loneCall('echo', { text: 'hello' }));
    order.push('read');
    log.release();
    const stream = await early;
    expect(order).toEqual(['read', 'acknowledged']);
    await update([a, b], 'note://one', stream);
    expect(urisOn(stream)).toHaveLength(2);
    stream.cut();
  });

  it('while the log of changes cannot be read is not lost: those that listen learn later that they may have missed it [S31]', async () => {
    const store = asyncStore();
    const a = await serve({ store }, { secrets });
    let fails = true;
    const readAfter: Store['events']['readAfter'] = (...given) =>
      fails ? Promise.reject(new Error('away')) : store.events.readAfter(...given);
    const b = await serve({ store: { ...store, events: { ...store.events, readAfter } } }, { secrets });
    const [here, there] = [await listening(a), await listening(b)];
    await update([a], 'note://one', here);
    fails = false;
    await there.until(() => urisOn(there).length >= 1, 'the signal');
    await update([a, b], 'note://one', there);
    expect(urisOn(there)).toHaveLength(3);
    for (const one of [here, there]) one.cut();
  });

  it('between the moment in which a node reads the log and the one in which it receives messages reaches its listeners [S31]', async () => {
    const store = asyncStore();
    const a = await serve({ store }, { secrets });
    const here = await listening(a);
    const bus = held(store.bus.subscribe);
    const b = await serve({ store: { ...store, bus: { ...store.bus, subscribe: bus.run } } }, { secrets });
    const session = await subscribed(b, 'note://one');
    const [stream, there] = [await session.listen(), await listening(b)];
    await update([a], 'note://one', here);
    bus.release();
    for (const one of [stream, there]) await one.until(() => urisOn(one).length >= 1, 'the update');
    for (const one of [stream, there]) expect(urisOn(one)).toContain('note://one');
    for (const one of [here, stream, there]) one.cut();
  });

  it('reaches a client that listens at a node which another one has released its session to [S31]', async () => {
    const { a, b, store, busOfB } = await lossyNodes();
    const session = await subscribed(a, 'note://one');
    await at(b, session).post(request('ping'));
    busOfB.hold();
    await a.close();
    // Takes the session over from the node that has closed, while the client listens at another.
    const c = await serve({ store }, { secrets });
    await at(c, session).post(request('ping'));
    const stream = await at(b, session).listen();
    busOfB.deliver();
    await update([b], 'note://one', stream);
    await c.close();
    await update([b, b], 'note://one', stream);
    expect(urisOn(stream).length).toBeGreaterThanOrEqual(3);
    stream.cut();
  });

  it('that a node has stored, and died before it published it, reaches the listeners of others [S31]', async () => {
    const { store, node, pass } = mortalNodes();
    const unsent = held(store.bus.publish);
    const a = await serve({ store: { ...store, bus: { ...store.bus, publish: unsent.run } } }, { secrets });
    const b = await node();
    const [here, there] = [await listening(a), await listening(b)];
    await update([a], 'note://one', here);
    await pass(deadNodeMs);
    await there.until(() => urisOn(there).length > 0, 'the update');
    expect(urisOn(there)).toEqual(['note://one']);
    for (const one of [here, there]) one.cut();
    unsent.release();
  });

  it('that a node makes just before it closes reaches the clients of its sessions at another node [S31]', async () => {
    const store = asyncStore();
    const { append } = store.events;
    const { subscribe } = store.bus;
    const slow = held(append);
    let isSlow = false;
    store.events.append = (key, ...given) => (isSlow && key.startsWith('changes/') ? slow.run : append)(key, ...given);
    // A node that closes stops listening before its last change is stored.
    store.bus.subscribe = async (topic, ...given) => {
      const stop = await subscribe(topic, ...given);
      return () => {
        stop();
        if (topic.startsWith('tenon/changes')) slow.release();
      };
    };
    const { a, b } = await lossyNodes(store);
    const session = await subscribed(a, 'note://one');
    const first = await session.listen();
    await update([a], 'note://one', first);
    isSlow = true;
    a.server.sendResourceUpdated('note://one');
    await a.close();
    const stream = await at(b, session).listen(first.events().at(-1)?.id);
    await stream.until(() => urisOn(stream).length > 0, 'the update');
    expect(urisOn(stream)).toEqual(['note://one']);
    stream.cut();
  });

  it('that could not be stored is stored when the node closes, so that others learn that they may have missed it [S31]', async () => {
    const { store, setFails } = failingLog();
    const { a, b } = await lossyNodes(store);
    const [here, there] = [await listening(a), await listening(b)];
    setFails(true);
    await update([a], 'note://one', here);
    setFails(false);
    await a.close();
    await there.until(() => urisOn(there).length > 0, 'the signal');
    expect(urisOn(there)).toContain('note://one');
    there.cut();
  });

  it('that cannot be stored while its node closes is tried again [S31]', async () => {
    const { store, setFails, whenFailed } = failingLog();
    const { a, b } = await lossyNodes(store);
    const [here, there] = [await listening(a), await listening(b)];
    setFails(true);
    await update([a], 'note://one', here);
    // The first attempts while it closes.
    const again = whenFailed(2);
    const closing = a.close();
    await again;
    setFails(false);
    await closing;
    await there.until(() => urisOn(there).length > 0, 'the signal');
    expect(urisOn(there)).toContain('note://one');
    there.cut();
  });

  it('that could not be stored reaches a client that comes to the node before it is [S31]', async () => {
    const { store, setFails } = failingLog();
    const { a, b } = await lossyNodes(store);
    const session = await subscribed(b, 'note://one');
    const here = await listening(a);
    setFails(true);
    await update([a], 'note://one', here);
    const stream = await at(a, session).listen();
    setFails(false);
    await stream.until(() => urisOn(stream).length > 0, 'the signal');
    expect(urisOn(stream)).toContain('note://one');
    for (const one of [here, stream]) one.cut();
  });

  it('that could not be stored reaches the listeners of its node at once, and others learn later that they may have missed it [S31]', async () => {
    const { store, setFails } = failingLog();
    const { a, b } = await lossyNodes(store);
    const filter = { notifications: { resourceSubscriptions: ['note://one'] } };
    const [here, there] = await Promise.all([a, b].map(({ url }) => open(url, lone('subscriptions/listen', filter))));
    if (here === undefined || there === undefined) throw new Error('There is no stream.');
    for (const one of [here, there]) await one.until(() => one.messages().length >= 1, 'the acknowledgement');
    await update([a], 'note://one', there);
    setFails(true);
    await update([a], 'note://one', here);
    expect(a.warnings).toMatchObject([{ code: 'store-failed' }]);
    setFails(false);
    await there.until(() => urisOn(there).length >= 2, 'the update');
    for (const one of [here, there]) one.cut();
  });
});
