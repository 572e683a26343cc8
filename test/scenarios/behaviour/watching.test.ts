import { connect, createServer, resource, resourceTemplate, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { inbox } from '../../kit/inbox.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

describe.each(protocolVersions)('watching at %s', (revision) => {
  it('lists tools again after every change, until it is stopped [S35]', async () => {
    const server = createServer({ name: 's', version: '1', tools: { one: tool({}, () => '1') } });
    const client = await connect(server, { protocolVersions: [revision] });
    const { put, next } = inbox<string[]>();
    const watching = await client.tools.watchList((tools) => put(tools.map(({ name }) => name)));
    expect(await next()).toEqual(['one']);
    server.update(({ tools }) => {
      tools.two = tool({}, () => '2');
    });
    expect(await next()).toEqual(['one', 'two']);
    await watching.close();
    await client.close();
  });

  it('reads a resource again after every change, also when it was missing in between [S35]', async () => {
    let text: string | undefined = 'first';
    const server = createServer({
      name: 's',
      version: '1',
      resourceTemplates: { 'a://{x}': resourceTemplate({}, () => text) },
    });
    const { client, received } = await connectRecorded(server, { protocolVersions: [revision] });
    const { put, next } = inbox<unknown>();
    await client.resources.watch('a://b', ([part]) => put((part as { text: string }).text));
    expect(await next()).toBe('first');
    text = undefined;
    server.sendResourceUpdated('a://b');
    while (!received.some(({ error }) => error !== undefined)) await client.resources.list().all();
    text = 'again';
    server.sendResourceUpdated('a://b');
    expect(await next()).toBe('again');
    await client.close();
  });

  it('of a missing resource fails and leaves no subscription', async () => {
    const server = createServer({ name: 's', version: '1', resources: { 'a://b': resource({}, () => 'x') } });
    const { client, received } = await connectRecorded(server, { protocolVersions: [revision] });
    const missing = { code: revision === '2026-07-28' ? -32602 : -32002 };
    await expect(client.resources.watch('a://c', () => {})).rejects.toMatchObject(missing);
    await client.resources.read('a://b');
    const before = received.length;
    server.sendResourceUpdated('a://c');
    await client.resources.read('a://b');
    expect(received.slice(before).map(({ method }) => method)).toEqual([undefined]);
    await client.close();
  });
});
