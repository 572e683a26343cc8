import { connect, content, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

const annotations = { audience: ['assistant' as const], priority: 1 };
const text = { type: 'text' as const, text: 'words', annotations };
const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' };
const audio = { type: 'audio' as const, data: 'UklGRg==', mimeType: 'audio/wav' };
const link = { type: 'resource_link' as const, uri: 'notes://more', name: 'more', description: 'More of it' };
const note = { type: 'resource' as const, resource: { uri: 'notes://1', mimeType: 'text/plain', text: 'bread' } };
const scan = { type: 'resource' as const, resource: { uri: 'notes://2', mimeType: 'image/png', blob: 'AP8=' } };

const server = createServer({
  name: 'gallery',
  version: '1',
  tools: {
    all: tool({}, () => content(text, image, audio, link, note, scan)),
    later: tool({}, () => content({ type: 'hologram', rays: [1, 2] } as never, text)),
    none: tool({}, () => content()),
  },
});

describe.each(protocolVersions)('content at %s', (revision) => {
  const age = protocolVersions.indexOf(revision);

  it('of every type arrives unchanged, and as text where the revision lacks the type [e-tools-24, e-tools-25, s-tools-15, s-tools-16]', async () => {
    const client = await connect(server, { protocolVersions: [revision] });
    const words = (holding: string) => ({ type: 'text', text: expect.stringContaining(holding) });
    expect((await client.tools.call('all')).content).toEqual([
      text,
      image,
      age >= 1 ? audio : words('audio/wav'),
      age >= 2 ? link : words('notes://more'),
      note,
      scan,
    ]);
    expect((await client.tools.call('none')).content).toEqual([]);
  });

  it('of unknown types is preserved, from our servers and from others [S08]', async () => {
    const hologram = { type: 'hologram', rays: [1, 2] };
    const client = await connect(server, { protocolVersions: [revision] });
    expect((await client.tools.call('later')).content).toEqual([hologram, text]);
    const other = scriptedAt(revision, { tools: {} }, () => ({ content: [hologram, text], unheardOf: 1 }));
    expect(await (await other.client).tools.call('x')).toMatchObject({ content: [hologram, text], unheardOf: 1 });
  });

  it('that is malformed is refused by the client and never sent by the server', async () => {
    const { client } = scriptedAt(revision, { tools: {} }, () => ({ content: [{ type: 'image', data: 5 }] }));
    await expect((await client).tools.call('x')).rejects.toMatchObject({ code: 'invalid-result' });
    const careless = createServer({
      name: 's',
      version: '1',
      tools: { x: tool({}, () => content({ type: 'image', data: 5 } as never)) },
    });
    const own = await connect(careless, { protocolVersions: [revision] });
    await expect(own.tools.call('x')).rejects.toMatchObject({ code: -32603 });
  });
});
