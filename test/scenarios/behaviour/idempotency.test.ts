/** A call with an idempotency key runs once, however often it arrives and over whichever connection. */
import { connect, createServer, type ProtocolVersion, RpcError, rpcError, tool, toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form } from '../../kit/server-request-modes.ts';
import { isSince } from '../../kit/version-order.ts';

/** A server that records the runs of its handlers. */
function counting(options: Parameters<typeof createServer>[1] = {}) {
  const runs: string[] = [];
  const server = createServer(
    {
      name: 's',
      version: '1',
      tools: {
        pay: tool({ inputSchema: z.object({ sum: z.number() }) }, ({ sum }) => {
          runs.push(`pay ${sum}`);
          return `paid ${sum}, ${runs.length}`;
        }),
        fail: tool({}, () => {
          runs.push('fail');
          throw new Error('no');
        }),
        refuse: tool({}, () => {
          runs.push('refuse');
          throw rpcError('rate-limited', `${runs.length}`);
        }),
        ask: tool({}, async (_given, { elicit }) => {
          const { action } = await elicit('a', form('a'));
          runs.push('ask');
          return `${action} ${runs.length}`;
        }),
      },
    },
    { onError: () => {}, ...options },
  );
  return { server, runs };
}

const nameOf = ({ reason }: RpcError): string => reason;

type Served = ReturnType<typeof counting>['server'];

const reach = (server: Served, revision: ProtocolVersion, principal?: string) => {
  const [here, there] = createMemoryTransports();
  server.accept(there, principal === undefined ? {} : { principal });
  return connect<Served>(here, { protocolVersions: [revision], handlers: { elicitForm: filledBy({ value: 'yes' }) } });
};

describe.each(protocolVersions)('An idempotency key at %s', (revision) => {
  it('runs a call once, and answers it the same each time', async () => {
    const { server, runs } = counting();
    const client = await reach(server, revision);
    const pay = () => client.tools.call('pay', { sum: 5 }, { idempotencyKey: 'k' });
    const first = await pay();
    expect(await pay()).toEqual(first);
    expect(runs).toEqual(['pay 5']);
    expect(toText(await client.tools.call('pay', { sum: 5 }))).toBe('paid 5, 2');
    expect(toText(await client.tools.call('pay', { sum: 5 }, { idempotencyKey: 'l' }))).toBe('paid 5, 3');
    await client.close();
  });

  it('repeats failures, too', async () => {
    const { server, runs } = counting();
    const client = await reach(server, revision);
    const fail = () => client.tools.call('fail', {}, { idempotencyKey: 'k' });
    expect((await fail()).isError).toBe(true);
    expect(await fail()).toEqual(await fail());
    const refuse = () => client.tools.call('refuse', {}, { idempotencyKey: 'l' }).catch((error) => error);
    const refusal = await refuse();
    expect(refusal).toBeInstanceOf(RpcError);
    expect((await refuse()).message).toBe(refusal.message);
    expect(runs).toEqual(['fail', 'refuse']);
    await client.close();
  });

  it('applies to all connections of one principal, and to no other', async () => {
    const { server, runs } = counting();
    const clients = await Promise.all(
      ['ada', 'ada', 'bob', undefined, undefined].map((principal) => reach(server, revision, principal)),
    );
    const texts = [];
    for (const client of clients) {
      texts.push(toText(await client.tools.call('pay', { sum: 1 }, { idempotencyKey: 'k' })));
    }
    expect(texts).toEqual(['paid 1, 1', 'paid 1, 1', 'paid 1, 2', 'paid 1, 3', 'paid 1, 3']);
    expect(runs).toHaveLength(3);
    await Promise.all(clients.map((client) => client.close()));
  });

  it('is refused for another tool or other arguments', async () => {
    const { server, runs } = counting();
    const client = await reach(server, revision);
    await client.tools.call('pay', { sum: 5 }, { idempotencyKey: 'k' });
    const refused = { reason: 'invalid-params', data: { key: 'k' } };
    await expect(client.tools.call('pay', { sum: 6 }, { idempotencyKey: 'k' })).rejects.toMatchObject(refused);
    await expect(client.tools.call('fail', {}, { idempotencyKey: 'k' })).rejects.toMatchObject(refused);
    expect(runs).toEqual(['pay 5']);
    await client.close();
  });

  it.each([false, true])('covers a call with server requests (replay: %s)', async (replay) => {
    const { server, runs } = counting({ alwaysReplay: replay });
    const client = await reach(server, revision);
    const call = () => client.tools.call('ask', {}, { idempotencyKey: 'k' });
    const canAsk = isSince(revision, '2025-06-18');
    const [first, second] = [await call().catch(nameOf), await call().catch(nameOf)];
    expect(first === 'missing-client-capability').toBe(!canAsk);
    expect(second).toEqual(first);
    expect(runs).toHaveLength(canAsk ? 1 : 0);
    await client.close();
  });

  it('makes a repeated call wait while the first one runs', async () => {
    const begun = deferred();
    const go = deferred<string>();
    let runs = 0;
    const slow = tool({}, () => {
      runs++;
      begun.resolve();
      return go.promise;
    });
    const server = createServer({ name: 's', version: '1', tools: { slow } });
    const one = await connect(server, { protocolVersions: [revision] });
    const other = await connect(server, { protocolVersions: [revision] });
    const first = one.tools.call('slow', {}, { idempotencyKey: 'k' });
    await begun.promise;
    const second = other.tools.call('slow', {}, { idempotencyKey: 'k' });
    await other.tools.list().all();
    go.resolve('done');
    expect([toText(await first), toText(await second)]).toEqual(['done', 'done']);
    expect(runs).toBe(1);
    await Promise.all([one.close(), other.close()]);
  });

  it('keeps a call running when its connection breaks, so that another connection can get the result', async () => {
    const begun = deferred<AbortSignal>();
    const go = deferred<string>();
    let runs = 0;
    const slow = tool({}, (_given, { signal }) => {
      runs++;
      begun.resolve(signal);
      return go.promise;
    });
    const server = createServer({ name: 's', version: '1', tools: { slow } });
    const [here, there] = createMemoryTransports();
    server.accept(there);
    const one = await connect(here, { protocolVersions: [revision] });
    const lost = one.tools.call('slow', {}, { idempotencyKey: 'k' }).catch((error) => error);
    const signal = await begun.promise;
    there.close(new Error('cut'));
    expect(await lost).toBeInstanceOf(Error);
    expect(signal.aborted).toBe(false);
    const other = await connect(server, { protocolVersions: [revision] });
    const again = other.tools.call('slow', {}, { idempotencyKey: 'k' });
    await other.tools.list().all();
    go.resolve('done');
    expect(toText(await again)).toBe('done');
    expect(runs).toBe(1);
    await other.close();
  });

  it('lets a call be cancelled, and repeats that outcome from then on', async () => {
    const begun = deferred<AbortSignal>();
    let runs = 0;
    const slow = tool({}, (_given, { signal }) => {
      runs++;
      begun.resolve(signal);
      return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
    });
    const server = createServer({ name: 's', version: '1', tools: { slow } });
    const client = await connect(server, { protocolVersions: [revision] });
    const controller = new AbortController();
    const call = client.tools.call('slow', {}, { idempotencyKey: 'k', signal: controller.signal });
    await begun.promise;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(toText(await client.tools.call('slow', {}, { idempotencyKey: 'k' }))).toBe('stopped');
    expect(runs).toBe(1);
    await client.close();
  });

  it('does not skip the middleware: a caller that lost its permission gets no result', async () => {
    let allowed = true;
    const { server, runs } = counting({
      middleware: [
        (_call, next) => {
          if (!allowed) throw rpcError('permission-denied', 'No');
          return next();
        },
      ],
    });
    const client = await reach(server, revision);
    const pay = () => client.tools.call('pay', { sum: 5 }, { idempotencyKey: 'k' });
    expect(toText(await pay())).toBe(toText(await pay()));
    allowed = false;
    await expect(pay()).rejects.toMatchObject({ reason: 'permission-denied' });
    expect(runs).toHaveLength(1);
    await client.close();
  });

  it('is ignored where the server disables it', async () => {
    const { server, runs } = counting({ idempotency: false });
    const client = await reach(server, revision);
    for (const _ of [1, 2]) await client.tools.call('pay', { sum: 5 }, { idempotencyKey: 'k' });
    expect(runs).toHaveLength(2);
    await client.close();
  });
});
