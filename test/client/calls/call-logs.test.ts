/** Log messages of one call: its own callback gets them, and its own level decides which. */
import { type Client, type ConnectOptions, connect, createServer, type ProtocolVersion, serveHttp, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../kit/deferred.ts';
import { exchangeVersion, isSession } from '../../kit/version-order.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Both calls of a test log only once both have begun. */
function loggingServer(calls = 1) {
  const both = deferred();
  let begun = 0;
  return createServer({
    name: 'logging',
    version: '1',
    tools: {
      work: tool({ inputSchema: z.object({ name: z.string() }) }, async ({ name }, ctx) => {
        if (++begun === calls) both.resolve();
        await both.promise;
        ctx.log('debug', `${name} debug`);
        ctx.log('error', `${name} error`);
        return name;
      }),
    },
  });
}

const dataOf = (into: unknown[]) => ({ onLog: ({ data }: { readonly data: unknown }) => void into.push(data) });

async function overHttp(server: ReturnType<typeof loggingServer>, options: ConnectOptions): Promise<Client> {
  const service = await serveHttp(server, { port: 0 });
  closing.push(() => service.close());
  return connect(service.url, options);
}

const inMemory = (server: ReturnType<typeof loggingServer>, options: ConnectOptions): Promise<Client> =>
  connect(server as never, options);

describe.each(protocolVersions as readonly ProtocolVersion[])('Log messages of a call under %s', (version) => {
  it.each([
    ['in memory', inMemory],
    ['over HTTP', overHttp],
  ] as const)('go to its own onLog, %s', async (_where, open) => {
    const [all, own]: unknown[][] = [[], []];
    const client = await open(loggingServer(), {
      protocolVersions: [version],
      logLevel: 'error',
      ...dataOf(all as unknown[]),
    });
    closing.push(() => client.close());
    await client.tools.call('work', { name: 'one' }, dataOf(own as unknown[]));
    await client.tools.call('work', { name: 'two' });
    expect([own, all]).toEqual([['one error'], ['two error']]);
  });

  /** What two calls at once, each with its own onLog, and the client get. */
  async function twoAtOnce(open: typeof overHttp): Promise<[unknown[], unknown[], unknown[]]> {
    const [all, one, two]: [unknown[], unknown[], unknown[]] = [[], [], []];
    const client = await open(loggingServer(2), { protocolVersions: [version], logLevel: 'error', ...dataOf(all) });
    closing.push(() => client.close());
    await Promise.all([
      client.tools.call('work', { name: 'one' }, dataOf(one)),
      client.tools.call('work', { name: 'two' }, dataOf(two)),
    ]);
    return [one, two, all];
  }

  it('go to the call in whose response they arrive, over HTTP', async () => {
    expect(await twoAtOnce(overHttp)).toEqual([['one error'], ['two error'], []]);
  });

  it('go to the client if they may belong to several calls', async () => {
    const [one, two, all] = await twoAtOnce(inMemory);
    expect([...one, ...two, ...all].toSorted()).toEqual(['one error', 'two error']);
    expect(all).toContain('one error');
  });

  it('have its level where there is no session', async () => {
    const own: unknown[] = [];
    const client = await inMemory(loggingServer(), { protocolVersions: [version] });
    closing.push(() => client.close());
    await client.tools.call('work', { name: 'one' }, { logLevel: 'debug', ...dataOf(own) });
    expect(own).toEqual(isSession(version) ? ['one error'] : ['one debug', 'one error']);
  });
});

it('a level that does not exist is refused before the call is sent', async () => {
  const client = await inMemory(loggingServer(), { protocolVersions: [exchangeVersion] });
  closing.push(() => client.close());
  await expect(client.tools.call('work', { name: 'one' }, { logLevel: 'loud' as never })).rejects.toMatchObject({
    code: 'invalid-argument',
  });
});
