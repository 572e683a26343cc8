/** Icons of a server and its features: unsafe ones are refused in definitions and dropped by clients. */
import { createServer, prompt, resource, resourceTemplate, type ServerDefinition, tool } from 'tenon';
import { filterSafeIcons } from 'tenon/client';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { answer, scripted } from '../../kit/transport/scripted-server.ts';

const good = [{ src: 'https://shop.example/a.png' }, { src: 'data:image/png;base64,AAAA' }];
const bad = [
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'file:///etc/passwd',
  'ftp://shop.example/a.png',
  'ws://shop.example/a.png',
  'app://local/a.png',
  'http://shop.example/a.png',
  'data:text/html,<script>',
  'https://user:secret@shop.example/a.png',
  'a.png',
  '',
].map((src) => ({ src }));
const icons = [...bad, ...good];

/** A scripted server with all icons on everything. */
const lists: Readonly<Record<string, Json>> = {
  'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' }, icons }] },
  'resources/list': { resources: [{ name: 'r', uri: 'a:b', icons }] },
  'resources/templates/list': { resourceTemplates: [{ name: 'm', uriTemplate: 'a:{b}', icons }] },
  'prompts/list': { prompts: [{ name: 'p', icons }] },
};
const serverInfo = { name: 'careless', version: '1', icons };
const capabilities = { tools: {}, resources: {}, prompts: {} };
const openings: Readonly<Record<string, Json>> = {
  '2025-11-25': { protocolVersion: '2025-11-25', capabilities, serverInfo },
  '2026-07-28': { supportedVersions: ['2026-07-28'], capabilities },
};
const signed = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
};

describe.each(['2025-11-25', '2026-07-28'] as const)('a client at %s', (revision) => {
  const connected = () =>
    scripted(
      (message, send) => {
        if (message.id === undefined) return;
        const own = lists[String(message.method)] ?? openings[revision];
        send(answer(message, revision === '2026-07-28' ? { ...own, ...signed } : own));
      },
      { protocolVersions: [revision] },
    ).client;

  it('passes on only https icons and data URIs [s-base-32, s-base-33, e-icons-03, e-icons-04]', async () => {
    const client = await connected();
    const listed = await Promise.all([
      client.tools.list().all(),
      client.resources.list().all(),
      client.resources.listTemplates().all(),
      client.prompts.list().all(),
    ]);
    for (const [only] of listed) expect(only?.icons).toEqual(good);
    expect(client.serverInfo?.icons).toEqual(good);
    await client.close();
  });
});

describe('safe icons', () => {
  it("are those of the server's origin, of trusted origins, and data URIs [s-base-38, e-icons-08]", () => {
    const [own, inUri] = good;
    const other = { src: 'https://cdn.example/a.png' };
    const all = [...bad, own, other, inUri].filter((icon) => icon !== undefined);
    expect(filterSafeIcons(all, { origin: 'https://shop.example/mcp' })).toEqual([own, inUri]);
    expect(filterSafeIcons(all, { origin: 'https://shop.example', trustedOrigins: ['https://cdn.example'] })).toEqual([
      own,
      other,
      inUri,
    ]);
    expect(filterSafeIcons(all)).toEqual([inUri]);
    expect(filterSafeIcons(undefined, { origin: 'https://shop.example' })).toEqual([]);
  });
});

describe('a definition with an unsafe icon', () => {
  const places: ReadonlyArray<readonly [string, (icons: Array<{ src: string }>) => Partial<ServerDefinition>]> = [
    ['server.icons[1].src', (icons) => ({ icons })],
    ['tools.t.icons[1].src', (icons) => ({ tools: { t: tool({ icons }, () => 'x') } })],
    ['resources["a:b"].icons[1].src', (icons) => ({ resources: { 'a:b': resource({ icons }, () => 'x') } })],
    [
      'resourceTemplates["a:{b}"].icons[1].src',
      (icons) => ({ resourceTemplates: { 'a:{b}': resourceTemplate({ icons }, () => 'x') } }),
    ],
    ['prompts.p.icons[1].src', (icons) => ({ prompts: { p: prompt({ icons }, () => 'x') } })],
  ];

  it.each(places)('is refused with the path %s and a hint', (place, define) => {
    for (const one of bad) {
      const refusal = { code: 'invalid-definition', message: expect.stringContaining(place) };
      expect(() => createServer({ name: 's', version: '1', ...define([{ src: good[0]?.src ?? '' }, one]) })).toThrow(
        expect.objectContaining(refusal),
      );
    }
    expect(() => createServer({ name: 's', version: '1', ...define(good) })).not.toThrow();
  });
});
