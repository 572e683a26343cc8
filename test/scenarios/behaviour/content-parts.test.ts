import { connect, content, createServer, prompt, resource, tool, toText } from 'tenon';
import { toParts } from 'tenon/client';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';

const bytes = new Uint8Array([0, 1, 254, 255]);
const image = { type: 'image' as const, data: 'AAH+/w==', mimeType: 'image/png' };
const scan = { uri: 'a://scan', mimeType: 'image/png', blob: 'AAH+/w==' };
const link = { type: 'resource_link' as const, uri: 'a://more', name: 'more' };

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    all: tool({}, () =>
      content(
        { type: 'text', text: 'one' },
        image,
        { type: 'resource', resource: scan },
        { type: 'hologram' } as never,
        { type: 'text', text: 'two' },
      ),
    ),
    links: tool({}, () => content(link)),
  },
  resources: { 'a://b': resource({ mimeType: 'text/plain' }, () => [{ text: 'words' }, { uri: 'a://scan', bytes }]) },
  prompts: { p: prompt({}, () => [{ role: 'user', content: image }]) },
});

describe.each(protocolVersions)('the parts of a result at %s', (revision) => {
  const open = () => connect(server, { protocolVersions: [revision] });

  it('are text, bytes with their media type, links, and unknown blocks [S41]', async () => {
    const { tools } = await open();
    const given = await tools.call('all');
    expect(toParts(given)).toEqual([
      { type: 'text', text: 'one' },
      { type: 'bytes', bytes, mimeType: 'image/png' },
      { type: 'bytes', bytes, mimeType: 'image/png', uri: 'a://scan' },
      { type: 'other', block: { type: 'hologram' } },
      { type: 'text', text: 'two' },
    ]);
    expect(toText(given)).toBe('one\ntwo');
    const inWords = { type: 'text', text: expect.stringContaining('a://more') };
    const hasLinks = protocolVersions.indexOf(revision) >= 2;
    expect(toParts(await tools.call('links'))).toEqual([hasLinks ? { type: 'link', link } : inWords]);
  });

  it('are the same for resources and prompts', async () => {
    const { resources, prompts } = await open();
    expect(toParts(await resources.read('a://b'))).toEqual([
      { type: 'text', text: 'words', uri: 'a://b', mimeType: 'text/plain' },
      { type: 'bytes', bytes, uri: 'a://scan', mimeType: 'text/plain' },
    ]);
    expect(toParts(await prompts.get('p'))).toEqual([{ type: 'bytes', bytes, mimeType: 'image/png' }]);
  });
});

it('reports bytes that are not valid Base64', () => {
  const broken = { content: [{ ...image, data: '%%%' }] };
  expect(() => toParts(broken)).toThrow(expect.objectContaining({ code: 'invalid-result' }));
});

it.each([undefined, null, 'text', 5, [], {}, { content: 'x' }, { completion: { values: [] } }])(
  'toParts and toText reject %j with the results that they take',
  (value) => {
    for (const read of [toParts, toText])
      expect(() => read(value as never)).toThrow(
        expect.objectContaining({ code: 'invalid-argument', hint: expect.stringContaining('client.tools.call()') }),
      );
  },
);
