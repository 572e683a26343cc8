import { connect, createServer, prompt, protocolVersions, resource, resourceTemplate, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { inbox } from '../../kit/inbox.ts';

describe.each(protocolVersions)('Watching at %s', (revision) => {
  it('tells `onWarning` of a look that failed, and looks again after the next change', async () => {
    let text: string | undefined = 'first';
    const server = createServer({
      name: 's',
      version: '1',
      resourceTemplates: { 'a://{x}': resourceTemplate({}, () => text) },
    });
    const faults = inbox<Error>();
    await using client = await connect(server, { protocolVersions: [revision], onWarning: faults.put });
    const { put, next } = inbox<unknown>();
    await client.resources.watch('a://b', ([part]) => put((part as { text: string }).text));
    expect(await next()).toBe('first');
    text = undefined;
    server.sendResourceUpdated('a://b');
    expect(await faults.next()).toMatchObject({ name: 'RpcError' });
    text = 'again';
    server.sendResourceUpdated('a://b');
    expect(await next()).toBe('again');
  });

  it('lists prompts, resources and templates anew after every change of theirs', async () => {
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

  it('tells nobody that the connection is over twice: a look that it cuts short is no fault', async () => {
    const faults: unknown[] = [];
    const looks: Array<() => void> = [];
    let slow = false;
    const server = createServer({
      name: 's',
      version: '1',
      tools: { t: tool({}, () => 't') },
      resources: {
        'a://b': resource({}, () => {
          if (!slow) return 'x';
          for (const notify of looks) notify();
          return new Promise<string>(() => {});
        }),
      },
    });
    const client = await connect(server, { protocolVersions: [revision], onWarning: (error) => faults.push(error) });
    await client.resources.watch('a://b', () => {});
    slow = true;
    const looking = new Promise<void>((resolve) => looks.push(resolve));
    server.sendResourceUpdated('a://b');
    await looking;
    await client.close({ timeoutMs: 1 });
    // What was cut short comes back by several promises.
    await new Promise((resolve) => setImmediate(resolve));
    expect(faults).toEqual([]);
  });
});

it.each([undefined, null, 'tools', { resourceSubscriptions: 'a://b' }, { toolListChanged: true }])(
  'Changes within %j are not asked for: it says what to pass',
  async (filter) => {
    await using client = await connect(createServer({ name: 's', version: '1' }));
    await expect(client.subscribe(filter as never)).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringMatching(/toolsListChanged|must be a list of URIs/),
    });
  },
);
