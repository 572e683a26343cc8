import { connect, createServer, prompt, resource, resourceTemplate, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { answeringServer, listen, type Requested } from '../../kit/client/answering-server.ts';
import { still } from '../../kit/client/simulated-server.ts';
import { inbox } from '../../kit/inbox.ts';

describe.each(protocolVersions)('Watching at %s', (revision) => {
  it('passes a failed read to `onWarning`, and reads again after the next change', async () => {
    let text: string | undefined = 'first';
    const server = createServer({
      name: 's',
      version: '1',
      resourceTemplates: { 'a://{x}': resourceTemplate({}, () => text) },
    });
    const warnings = inbox<Error>();
    await using client = await connect(server, { protocolVersions: [revision], onWarning: warnings.put });
    const { put, next } = inbox<unknown>();
    await client.resources.watch('a://b', ([part]) => put((part as { text: string }).text));
    expect(await next()).toBe('first');
    text = undefined;
    server.sendResourceUpdated('a://b');
    expect(await warnings.next()).toMatchObject({ code: 'request-failed', cause: { name: 'RpcError' } });
    text = 'again';
    server.sendResourceUpdated('a://b');
    expect(await next()).toBe('again');
  });

  it('reads again until the server answers, so that no change is lost', async () => {
    const setting = answeringServer(revision);
    const warnings: Error[] = [];
    const client = setting.world.client({ timeoutMs: 1000, onWarning: (error) => warnings.push(error) });
    const seen: unknown[] = [];
    await client.resources.watch('a://b', (contents) => void seen.push(contents));
    setting.takes = ({ method }) => method === 'resources/read';
    const reads = (): Requested[] => setting.of('resources/read');
    const [listening] = setting.of(listen);
    const _meta = listening && { 'io.modelcontextprotocol/subscriptionId': listening.id };
    const params = { uri: 'a://b', ...(_meta && { _meta }) };
    setting.world.wire()?.write({ method: 'notifications/resources/updated', params });
    await still();
    expect(reads()).toHaveLength(2);
    await setting.pass(1000);
    expect(warnings).toMatchObject([{ code: 'timeout' }]);
    await setting.pass(500);
    const { wire, id } = reads()[2] as Requested;
    const contents = [{ uri: 'a://b', text: 'changed' }];
    const alone = revision === '2026-07-28' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    wire.answer(id, { result: { contents, ...alone } });
    await still();
    expect(seen).toEqual([[], contents]);
    await client.close();
    expect(setting.world.clock.pending).toBe(0);
  });

  it('lists prompts, resources and templates again after each of their changes', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      prompts: { p: prompt({}, () => 'p') },
      resources: { 'a://b': resource({}, () => 'x') },
      resourceTemplates: { 'a://t/{x}': resourceTemplate({}, () => 'x') },
    });
    await using client = await connect(server, { protocolVersions: [revision] });
    const prompts = inbox<string[]>();
    const resources = inbox<string[]>();
    const templates = inbox<string[]>();
    await client.prompts.watchList((list) => prompts.put(list.map(({ name }) => name)));
    await client.resources.watchList((list) => resources.put(list.map(({ uri }) => uri)));
    await client.resources.watchTemplates((list) => templates.put(list.map(({ uriTemplate }) => uriTemplate)));
    expect([await prompts.next(), await resources.next(), await templates.next()]).toEqual([
      ['p'],
      ['a://b'],
      ['a://t/{x}'],
    ]);
    server.update((draft) => {
      draft.prompts.q = prompt({}, () => 'q');
      draft.resources['a://c'] = resource({}, () => 'x');
      draft.resourceTemplates['a://u/{x}'] = resourceTemplate({}, () => 'x');
    });
    expect([await prompts.next(), await resources.next(), await templates.next()]).toEqual([
      ['p', 'q'],
      ['a://b', 'a://c'],
      ['a://t/{x}', 'a://u/{x}'],
    ]);
  });

  it('does not report a read that the closed connection cut short as a warning', async () => {
    const warnings: unknown[] = [];
    const onRead: Array<() => void> = [];
    let slow = false;
    const server = createServer({
      name: 's',
      version: '1',
      tools: { t: tool({}, () => 't') },
      resources: {
        'a://b': resource({}, () => {
          if (!slow) return 'x';
          for (const notify of onRead) notify();
          return new Promise<string>(() => {});
        }),
      },
    });
    const client = await connect(server, { protocolVersions: [revision], onWarning: (error) => warnings.push(error) });
    await client.resources.watch('a://b', () => {});
    slow = true;
    const reading = new Promise<void>((resolve) => onRead.push(resolve));
    server.sendResourceUpdated('a://b');
    await reading;
    await client.close({ timeoutMs: 1 });
    // The rejection of the pending read passes through several promises.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });
});

it.each([undefined, null, 'tools', { resourceSubscriptions: 'a://b' }, { toolListChanged: true }])(
  'subscribe rejects the filter %j with a hint of what to pass',
  async (filter) => {
    await using client = await connect(createServer({ name: 's', version: '1' }));
    await expect(client.subscribe(filter as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringMatching(/toolsListChanged|must be a list of URIs/),
    });
  },
);
