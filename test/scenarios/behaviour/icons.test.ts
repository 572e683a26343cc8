import { connect, createServer, prompt, resource, revisionIds, template, tool } from 'tenon';
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
  templates: { 'shop://{item}': template({ icons }, () => 'a thing') },
  prompts: { ask: prompt({ icons }, () => 'May I?') },
});

describe.each(revisionIds)('icons at %s', (revision) => {
  it('stand on all that has them where the revision has icons, and nowhere else', async () => {
    const client = await connect(server, { revisions: [revision] });
    const expected = revisionIds.indexOf(revision) >= 3 ? icons : undefined;
    const listed = await Promise.all([
      client.tools.list().all(),
      client.resources.list().all(),
      client.resources.templates().all(),
      client.prompts.list().all(),
    ]);
    for (const [only] of listed) expect(only?.icons).toEqual(expected);
    expect(client.server?.icons).toEqual(expected);
  });

  it('belong to a name card of which older revisions see less', async () => {
    const { server: card } = await connect(server, { revisions: [revision] });
    const age = revisionIds.indexOf(revision);
    expect(card).toEqual({
      name: 'shop',
      version: '1',
      ...(age >= 2 && { title: 'Shop' }),
      ...(age >= 3 && { description: 'Sells things', websiteUrl: 'https://example.com', icons }),
    });
  });
});
