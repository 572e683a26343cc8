/** What crosses the bridge: both versions of the official SDK, every protocol version, in memory and over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, type ConnectOptions, connect, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import type { Server } from '../../src/server/server.ts';
import { sampled } from '../kit/sampled.ts';
import { isSince } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';
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

/** In memory all of them; over HTTP some in `npm test`. */
const tested = [
  ...cases.filter(({ open }) => open === inMemory),
  ...sampled(
    cases.filter(({ open }) => open !== inMemory),
    7,
  ),
];

const starter =
  ({ create, version, open }: (typeof cases)[number]) =>
  async (options: ConnectOptions = {}): Promise<{ client: Client; ledger: Ledger }> => {
    const ledger = newLedger();
    const server = await fromOfficial(() => create(ledger));
    const client = await open(server, { protocolVersions: [version], ...options });
    return { client, ledger };
  };

describe.each(tested)('A server of $sdk in $version $where', (one) => {
  const start = starter(one);
  const { version } = one;

  it('keeps its name, its schemas, structured results and its own error texts', async () => {
    const { client } = await start();
    expect(client.serverInfo?.name ?? 'official').toBe('official');
    expect(client.instructions).toBe('Add numbers.');
    const tools = await client.tools.list().all();
    expect(tools.find(({ name }) => name === 'add')).toMatchObject({
      description: 'Adds numbers',
      inputSchema: { required: ['a', 'b'] },
    });
    const result = await client.tools.call('add', { a: 1, b: 2 });
    expect(result.content).toMatchObject([{ type: 'text', text: '3' }]);
    expect(result.structuredContent).toEqual(isSince(version, '2025-06-18') ? { sum: 3 } : undefined);
    const wrong = await client.tools.call('add', { a: 'x' });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('add') }] });
  });

  it('serves prompts, resources, templates and completions', async () => {
    const { client } = await start();
    expect(await client.prompts.list().all()).toMatchObject([{ name: 'trip', arguments: [{ name: 'city' }] }]);
    const prompt = await client.prompts.get('trip', { city: 'Paris' });
    expect(prompt.messages).toMatchObject([{ role: 'user', content: { text: 'Go to Paris' } }]);
    const complete = await client.complete({ type: 'ref/prompt', name: 'trip' }, { name: 'city', value: 'P' });
    expect(complete.values).toEqual(['Paris', 'Porto', 'Prague']);
    const day = { type: 'ref/resource', uri: 'notes://days/{day}' } as const;
    expect((await client.complete(day, { name: 'day', value: 'Po' })).values).toEqual(['Porto']);
    const texts = ['notes://today', 'notes://days/monday'].map(
      async (uri) => (await client.resources.read(uri)).contents,
    );
    expect(await Promise.all(texts)).toMatchObject([[{ text: 'note today' }], [{ text: 'note monday' }]]);
    await expect(client.resources.read('notes://none')).rejects.toMatchObject({ reason: 'resource-not-found' });
  });

  it('reports progress and logs of a call to its client', async () => {
    const logs: unknown[] = [];
    const progress: unknown[] = [];
    const { client } = await start({ logLevel: 'info', onLog: ({ level, data }) => logs.push([level, data]) });
    await client.tools.call('report', {}, { onProgress: (update) => progress.push(update) });
    expect(progress).toMatchObject([{ progress: 1, total: 2 }]);
    expect(logs).toEqual([['warning', 'half way']]);
  });

  it('aborts the handler of a call that its client cancels', async () => {
    const { client, ledger } = await start();
    const controller = new AbortController();
    const call = client.tools.call('wait', {}, { signal: controller.signal });
    await ledger.waiting.promise;
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await withTimeout(ledger.aborted.promise, 'the abort of the handler');
  });

  it('passes requests of a handler to the client, and its answers back', async () => {
    const { client } = await start({
      handlers: {
        sample: () => ({ role: 'assistant', content: { type: 'text', text: 'sampled' }, model: 'm' }),
        roots: () => [{ uri: 'file:///work', name: 'work' }],
      },
    });
    const texts = async (name: string, args = {}): Promise<unknown> =>
      (await client.tools.call(name, args)).content?.map((part) => ('text' in part ? part.text : part));
    expect(await texts('sample', { question: 'q' })).toEqual([expect.stringContaining('sampled')]);
    expect(await texts('roots')).toEqual(['[{"uri":"file:///work","name":"work"}]']);
  });

  it('gives the handler an error where the client cannot be asked', async () => {
    const { client } = await start();
    for (const name of ['ask', 'sample', 'roots'])
      expect(await client.tools.call(name, { question: 'q' })).toMatchObject({ isError: true });
  });
});

describe.each(tested.filter(({ version }) => isSince(version, '2025-06-18')))(
  'A server of $sdk in $version $where, whose client has forms,',
  (one) => {
    const start = starter(one);

    it('runs a handler with forms once, however many it needs', async () => {
      const { client, ledger } = await start({
        handlers: { elicitForm: ({ message }) => ({ action: 'accept', content: { answer: `yes to ${message}` } }) },
      });
      expect(await client.tools.call('ask', { question: 'Really?' })).toMatchObject({
        content: [{ text: 'Really?: accept yes to Really?' }],
      });
      expect(await client.tools.call('ask-twice', { question: 'Two' })).toMatchObject({
        content: [{ text: 'yes to Two 1, yes to Two 2' }],
      });
      expect(ledger.begun).toEqual(['Really?', 'Two']);
    });
  },
);
