/** How many instances of an official server there are, whose they are, and when they close. */
import { afterEach, describe, expect, it } from 'vitest';
import { createPolicy, guard } from '../../src/guard/index.ts';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type ConnectOptions, connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import type { OfficialOptions } from '../../src/official/index.ts';
import { tool } from '../../src/server/index.ts';
import { deferred } from '../kit/deferred.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { createV1, createV2, type Ledger, newLedger } from './servers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Counts the instances that are open now, without the one that is listed first. */
function counted(ledger: Ledger = newLedger()) {
  let open = -1;
  let onClose = (): void => {};
  return {
    ledger,
    create() {
      const server = createV1(ledger);
      open++;
      server.server.onclose = () => {
        open--;
        onClose();
      };
      return server;
    },
    get open() {
      return open;
    },
    closed: () => new Promise<void>((resolve) => (onClose = resolve)),
  };
}

async function overHttp(create: () => ReturnType<typeof createV1>, options: OfficialOptions = {}) {
  const server = await fromOfficial(create, options);
  const authenticate = ({ header }: { header(name: string): string | undefined }) => header('authorization')?.slice(7);
  const service = await serveHttp(server, { port: 0, authenticate: (request) => authenticate(request) ?? 'anonymous' });
  closing.push(() => service.close());
  return async (user: string, version: ProtocolVersion, more: ConnectOptions = {}) => {
    const target = { url: service.url, headers: { authorization: `Bearer ${user}` } };
    const client = await connect(target, { protocolVersions: [version], ...more });
    closing.push(() => client.close());
    return client;
  };
}

describe('An instance of an official server', () => {
  it('is one for each session, and closes with it', async () => {
    const count = counted();
    const open = await overHttp(count.create);
    const [ada, eve] = [await open('ada', '2025-11-25'), await open('eve', '2025-11-25')];
    for (const client of [ada, ada, eve]) await client.tools.call('add', { a: 1, b: 2 });
    expect(count.open).toBe(2);
    const closed = count.closed();
    await ada.close();
    await withTimeout(closed, 'the end of the instance');
    expect(count.open).toBe(1);
  });

  it('is one for each principal without sessions, and closes when it was idle for idleMs', async () => {
    const count = counted();
    const clock = createFakeClock();
    const open = await overHttp(count.create, { idleMs: 1000, ...withClock(clock) });
    const clients = [
      await open('ada', exchangeVersion),
      await open('ada', exchangeVersion),
      await open('eve', exchangeVersion),
    ];
    for (const client of clients) await client.tools.call('add', { a: 1, b: 2 });
    expect(count.open).toBe(2);
    clock.advance(999);
    expect(count.open).toBe(2);
    const closed = count.closed();
    clock.advance(1);
    await withTimeout(closed, 'the end of the instances');
  });

  it('is one for each call without sessions and principals', async () => {
    const count = counted();
    const server = await fromOfficial(count.create);
    const service = await serveHttp(server, { port: 0 });
    const client = await connect(service.url, { protocolVersions: [exchangeVersion] });
    const closed = count.closed();
    await client.tools.list().all();
    const before = count.ledger.instances;
    await Promise.all([1, 2].map((a) => client.tools.call('add', { a, b: 2 })));
    await withTimeout(closed, 'the end of an instance');
    expect(count.ledger.instances).toBe(before + 2);
    await client.close();
    await service.close();
  });

  it('that is idle gives its place to another beyond maxInstances; a call that finds no place is refused', async () => {
    const count = counted();
    const open = await overHttp(count.create, { maxInstances: 1 });
    const [ada, eve] = [await open('ada', exchangeVersion), await open('eve', exchangeVersion)];
    for (const client of [ada, eve]) await client.tools.call('add', { a: 1, b: 2 });
    const controller = new AbortController();
    const waiting = ada.tools.call('wait', {}, { signal: controller.signal });
    await count.ledger.waiting.promise;
    await expect(eve.tools.call('add', { a: 1, b: 2 })).rejects.toMatchObject({
      code: 'server-unavailable',
      details: { error: { message: expect.stringContaining('maxInstances') } },
    });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('that is idle is closed for another of its own caller first, so that a caller with many clients closes no others', async () => {
    const count = counted();
    const open = await overHttp(count.create, { maxInstances: 2 });
    const eve = await open('eve', exchangeVersion);
    await eve.tools.call('add', { a: 1, b: 2 });
    for (const name of ['one', 'two', 'three']) {
      const client = await open('ada', exchangeVersion, { clientInfo: { name, version: '1' } });
      await client.tools.call('add', { a: 1, b: 2 });
    }
    const before = count.ledger.instances;
    await eve.tools.call('add', { a: 1, b: 2 });
    expect(count.ledger.instances).toBe(before);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no database'))],
    ['returns no server', () => ({}) as never],
  ])('whose function %s fails fromOfficial() with instance-failed', async (_, create) => {
    await expect(fromOfficial(create)).rejects.toMatchObject({ code: 'instance-failed' });
  });

  it('that is created too late is closed: nothing waits for it any more', async () => {
    const clock = createFakeClock();
    const servers: ReturnType<typeof createV1>[] = [];
    const { promise: database, resolve: connected } = deferred();
    const create = async () => {
      const created = createV1(newLedger());
      if (servers.push(created) > 1) await database;
      return created;
    };
    const server = await fromOfficial(create, { onError: () => {}, ...withClock(clock) });
    const client = await connect(server as never);
    const call = client.tools.call('add', { a: 1, b: 2 });
    await expect.poll(() => servers.length).toBe(2);
    clock.advance(30_000);
    await expect(call).rejects.toMatchObject({ code: -32603 });
    const late = servers[1] as ReturnType<typeof createV1>;
    const closed = new Promise<void>((resolve) => {
      late.close = async () => resolve();
    });
    connected();
    await withTimeout(closed, 'the end of the late instance');
    expect(late.isConnected()).toBe(false);
    await client.close();
  });

  it('that is returned a second time fails its call, and leaves the first one connected', async () => {
    const errors: unknown[] = [];
    const ledger = newLedger();
    const only = createV2(ledger);
    const server = await fromOfficial(() => only, { onError: (error) => errors.push(error) });
    const client = await connect(server as never);
    await expect(client.tools.call('add', { a: 1, b: 2 })).rejects.toMatchObject({ code: -32603 });
    expect(errors[0]).toMatchObject({ code: 'instance-failed' });
    expect(only.isConnected()).toBe(true);
    await client.close();
  });

  it('that was passed itself serves one connection at a time, and no network unless it is shared', async () => {
    const one = await fromOfficial(createV1(newLedger()), { onError: () => {} });
    const first = await connect(one as never);
    const second = await connect(one as never);
    const add = { a: 1, b: 2 };
    expect(await first.tools.call('add', add)).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await second.tools.call('add', add)).toMatchObject({ isError: true });
    await first.close();
    await expect.poll(async () => (await second.tools.call('add', add)).isError).toBeUndefined();
    await second.close();
    await expect(serveHttp(one, { port: 0 })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('fromOfficial(() =>'),
    });
    const shared = await fromOfficial(createV2(newLedger()), { shared: true });
    const service = await serveHttp(shared, { port: 0 });
    const client = await connect(service.url);
    expect(await client.tools.call('add', add)).toMatchObject({ structuredContent: { sum: 3 } });
    await client.close();
    await service.close();
  });
});

describe('A bridged server', () => {
  it('notifies a session when its own instance changes its lists', async () => {
    const servers: ReturnType<typeof createV1>[] = [];
    const server = await fromOfficial(() => {
      const created = createV1(newLedger());
      servers.push(created);
      return created;
    });
    server.update((draft) => {
      draft.tools.own = tool({}, () => 'own');
    });
    const client = await connect(server as never, { protocolVersions: ['2025-11-25'] });
    const seen: string[][] = [];
    const watcher = await client.tools.watchList((tools) => seen.push(tools.map(({ name }) => name)));
    servers.at(-1)?.registerTool('late', {}, () => ({ content: [] }));
    await expect.poll(() => seen.at(-1)).toContain('late');
    expect(seen.at(-1)).toContain('own');
    await watcher.close();
    await client.close();
  });

  it('obeys a policy: what it denies is not listed and not called', async () => {
    const policy = createPolicy('version: 1\nrules: [{ id: add, allow: [list, call], to: any, on: { tool: add } }]');
    const server = await fromOfficial(() => createV1(newLedger()), { guard: guard({ policy }) });
    const client = await connect(server as never);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['add']);
    await expect(client.tools.call('who')).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it('shows handlers the principal', async () => {
    for (const create of [createV1, createV2]) {
      const open = await overHttp(() => create(newLedger()) as ReturnType<typeof createV1>);
      const client = await open('ada', '2025-11-25');
      expect(await client.tools.call('who')).toMatchObject({ content: [{ text: 'ada' }] });
    }
  });
});

describe('A server of the official SDK', () => {
  it.each([createV1, createV2])('where one of Tenon is expected is refused with a hint', async (create) => {
    const server = create(newLedger()) as never;
    const refused = { code: 'invalid-argument', message: expect.stringContaining('await fromOfficial(() =>') };
    await expect(connect(server)).rejects.toMatchObject(refused);
    await expect(serveHttp(server, { port: 0 })).rejects.toMatchObject(refused);
  });
});
