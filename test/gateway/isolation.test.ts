/** Callers of one gateway do not share connections, lists, messages or errors unless an upstream says so. */
import { createServer, type ProtocolVersion, RpcError, type Server, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { openAs, openClient, served, startGateway, textOf, upstreamPer } from './start.ts';

const versions = [newestSession.id as ProtocolVersion, exchangeVersion];

/** Its tools name the connection that it serves. */
const numbered = (connection: number): Server =>
  createServer({
    name: 'numbered',
    version: '1.0.0',
    tools: {
      connection: tool({}, () => String(connection)),
      [`only-${connection}`]: tool({}, () => String(connection)),
      secret: tool({}, () => {
        throw new RpcError(1001, `Secret of ${connection}`, { connection });
      }),
    },
  }) as Server;

describe.each(versions)('Two principals who call by %s', (version) => {
  const protocolVersions = [version];

  it('have connections of their own; two clients of one principal share one', async () => {
    const upstream = upstreamPer(numbered);
    const { gateway } = startGateway({ one: upstream.options });
    const url = await served(gateway.server);
    const [ada, bob, again] = [
      await openAs('ada', url, { protocolVersions }),
      await openAs('bob', url, { protocolVersions }),
      await openAs('ada', url, { protocolVersions }),
    ];
    const numbers = [];
    for (const client of [ada, bob, again, bob, ada]) numbers.push(textOf(await client.tools.call('connection')));
    expect(new Set([numbers[0], numbers[2], numbers[4]]).size).toBe(1);
    expect(new Set([numbers[1], numbers[3]]).size).toBe(1);
    expect(numbers[0]).not.toBe(numbers[1]);
    expect(upstream.opened()).toBe(2);
  });

  it('see only the lists of their own connection, and cannot call what is in no list of theirs', async () => {
    const upstream = upstreamPer(numbered);
    const { gateway } = startGateway({ one: upstream.options });
    const url = await served(gateway.server);
    for (const principal of ['ada', 'bob']) {
      const client = await openAs(principal, url, { protocolVersions });
      const own = textOf(await client.tools.call('connection'));
      const names = (await client.tools.list().all()).map(({ name }) => name);
      expect(names).toEqual(['connection', `only-${own}`, 'secret']);
      const other = `only-${own === '1' ? 2 : 1}`;
      const refused = await client.tools.call(other).catch((error) => error);
      expect(refused).toMatchObject({ message: `Unknown tool: ${other}` });
      expect(refused.data.availableTools).toEqual(names);
      await expect(client.tools.call('secret')).rejects.toMatchObject({
        code: 1001,
        data: { connection: Number(own) },
      });
    }
  });

  it('share a connection only with share: all; with share: call no two calls do', async () => {
    const [all, call] = [upstreamPer(numbered), upstreamPer(numbered)];
    const { gateway } = startGateway({
      all: { ...all.options, share: 'all' },
      call: { ...call.options, share: 'call' },
    });
    const url = await served(gateway.server);
    const [ada, bob] = [await openAs('ada', url, { protocolVersions }), await openAs('bob', url, { protocolVersions })];
    const numbersOf = async (name: string) => {
      const numbers = [];
      for (const client of [ada, bob, ada]) numbers.push(textOf(await client.tools.call(name)));
      return new Set(numbers).size;
    };
    expect(await numbersOf('all__connection')).toBe(1);
    expect(await numbersOf('call__connection')).toBe(3);
  });
});

it('Callers without a principal have a connection for each session', async () => {
  const upstream = upstreamPer(numbered);
  const { gateway } = startGateway({ one: upstream.options });
  const url = await served(gateway.server);
  const protocolVersions = [newestSession.id as ProtocolVersion];
  const [one, other] = [await openClient(url, { protocolVersions }), await openClient(url, { protocolVersions })];
  const numbers = [];
  for (const client of [one, other, one, other]) numbers.push(textOf(await client.tools.call('connection')));
  expect(numbers[0]).toBe(numbers[2]);
  expect(numbers[1]).toBe(numbers[3]);
  expect(numbers[0]).not.toBe(numbers[1]);
});

it('Callers without a principal and without a session have a connection for each call', async () => {
  const upstream = upstreamPer(numbered);
  const { gateway } = startGateway({ one: upstream.options });
  const url = await served(gateway.server);
  const client = await openClient(url, { protocolVersions: [exchangeVersion] });
  const one = textOf(await client.tools.call('connection'));
  expect(textOf(await client.tools.call('connection'))).not.toBe(one);
});

it('A challenge of an upstream does not reach the caller', async () => {
  const upstream = createServer({
    name: 'guarded',
    version: '1.0.0',
    tools: {
      locked: tool({}, () => {
        throw new RpcError(-31401, 'Sign in at the upstream', { challenge: 'Bearer realm="x"' }, 'unauthorized');
      }),
    },
  }) as Server;
  const { gateway } = startGateway({ one: { server: upstream } });
  const client = await openAs('ada', await served(gateway.server));
  const refused = await client.tools.call('locked').catch((error) => error);
  expect(refused.message).toBe('The upstream "one" does not accept the credentials of the gateway.');
  expect(JSON.stringify([refused.message, refused.data])).not.toMatch(/realm|Sign in/);
});

it('Two users of a stdio upstream who are asked at once get their own questions', async () => {
  const asking = () =>
    createServer({
      name: 'asking',
      version: '1.0.0',
      tools: {
        ask: tool({}, async (_args, ctx) => {
          const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as never;
          const { content } = (await ctx.elicit('who', {
            message: 'Who?',
            requestedSchema: schema,
          } as never)) as never as { content: { name: string } };
          return content.name;
        }),
      },
    }) as Server;
  const upstream = upstreamPer(asking);
  const { gateway } = startGateway({
    one: { ...upstream.options, protocolVersions: [newestSession.id as ProtocolVersion] },
  });
  const url = await served(gateway.server);
  const answersAs = (name: string) => ({ elicitForm: () => ({ action: 'accept' as const, content: { name } }) });
  const clients = await Promise.all(
    ['ada', 'bob', 'eve'].flatMap((principal) =>
      versions.map(async (version) => ({
        principal,
        client: await openAs(principal, url, { protocolVersions: [version], handlers: answersAs(principal) }),
      })),
    ),
  );
  const results = await Promise.all(
    [...clients, ...clients].map(async ({ principal, client }) => [principal, textOf(await client.tools.call('ask'))]),
  );
  for (const [principal, answer] of results) expect(answer).toBe(principal);
});
