import { connect, createServer, prompt, resource, resourceTemplate, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';

const icons = [
  { src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' as const },
  { src: 'data:image/svg+xml;base64,PHN2Zy8+' },
];

const server = createServer({
  name: 'shop',
  version: '1',
  title: 'Shop',
  description: 'Sells things',
  websiteUrl: 'https://example.com',
  icons,
  tools: { buy: tool({ icons }, () => 'bought') },
  resources: { 'shop://cart': resource({ icons }, () => 'empty') },
  resourceTemplates: { 'shop://{item}': resourceTemplate({ icons }, () => 'a thing') },
  prompts: { ask: prompt({ icons }, () => 'May I?') },
});

describe.each(protocolVersions)('icons at %s', (revision) => {
  it('are sent wherever the revision has icons, and nowhere else', async () => {
    const client = await connect(server, { protocolVersions: [revision] });
    const expected = protocolVersions.indexOf(revision) >= 3 ? icons : undefined;
    const listed = await Promise.all([
      client.tools.list().all(),
      client.resources.list().all(),
      client.resources.listTemplates().all(),
      client.prompts.list().all(),
    ]);
    for (const [only] of listed) expect(only?.icons).toEqual(expected);
    expect(client.serverInfo?.icons).toEqual(expected);
  });

  it('are part of the implementation info, of which older revisions get less', async () => {
    const { serverInfo: card } = await connect(server, { protocolVersions: [revision] });
    const age = protocolVersions.indexOf(revision);
    expect(card).toEqual({
      name: 'shop',
      version: '1',
      ...(age >= 2 && { title: 'Shop' }),
      ...(age >= 3 && { description: 'Sells things', websiteUrl: 'https://example.com', icons }),
    });
  });
});
