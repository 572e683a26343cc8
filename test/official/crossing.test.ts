/** What crosses the bridge: both versions of the official SDK, every protocol version, in memory and over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ConnectOptions, connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import type { Server } from '../../src/server/server.ts';
import { isSince } from '../kit/version-order.ts';
import { type Ledger, newLedger, sdks } from './servers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Open = (server: Server, options: ConnectOptions) => Promise<Client>;

const inMemory: Open = async (server, options) => opened(await connect(server as never, options));
const overHttp: Open = async (server, options) => {
  const service = await serveHttp(server, { port: 0 });
  closing.push(() => service.close());
  return opened(await connect(service.url, options));
};

function opened(client: Client): Client {
  closing.push(() => client.close());
  return client;
}

const cases = sdks.flatMap(([sdk, create]) =>
  protocolVersions.flatMap((version) =>
    (
      [
        ['in memory', inMemory],
        ['over HTTP', overHttp],
      ] as const
    ).map(([where, open]) => ({ sdk, create, version: version as ProtocolVersion, where, open })),
  ),
);

describe.each(cases)('A server of $sdk in $version $where', ({ create, version, open }) => {
  const start = async (options: ConnectOptions = {}): Promise<{ client: Client; ledger: Ledger }> => {
    const ledger = newLedger();
    const server = await fromOfficial(() => create(ledger));
    const client = await open(server, { protocolVersions: [version], ...options });
    return { client, ledger };
  };

  it('keeps its name, its instructions, its schemas and structured results', async () => {
    const { client } = await start();
    expect(client.serverInfo).toMatchObject({ name: 'official', version: '1.2.3' });
    expect(client.instructions).toBe('Add numbers.');
    const { tools } = await client.tools.list();
    const add = tools.find(({ name }) => name === 'add');
    expect(add).toMatchObject({ description: 'Adds numbers', inputSchema: { required: ['a', 'b'] } });
    const result = await client.tools.call('add', { a: 1, b: 2 });
    expect(result.content).toMatchObject([{ type: 'text', text: '3' }]);
    if (isSince(version, '2025-06-18')) expect(result.structuredContent).toEqual({ sum: 3 });
  });
});
