/** MCP Apps on a server: what an app sends on the wire, what is refused when it is defined, and what tools know of clients. */
import { connect, createServer, type ResourceDefinition, resourceTemplate, tool } from 'tenon';
import { type AppOptions, app, appsExtension, serveExtension, supportsApps, useExtension } from 'tenon/extensions';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRecorded } from '../kit/transport/recorded-connection.ts';

const html = '<!doctype html><title>Forecast</title><p>Sunny</p>';
const mimeType = 'text/html;profile=mcp-app';
const options: AppOptions = {
  title: 'Forecast',
  csp: { connectDomains: ['https://api.example'] },
  prefersBorder: true,
};

const forecast = tool(
  { outputSchema: z.object({ degrees: z.number() }), _meta: { ui: { resourceUri: 'ui://forecast' } } },
  () => ({ degrees: 7 }),
);

const serverWith = (resources: Record<string, ResourceDefinition>) =>
  createServer({ name: 'apps', version: '1', tools: { forecast }, resources });

/** Before 2025-06-18 a tool has no `_meta`, and so no app. */
const versionsWithApps = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

describe.each(versionsWithApps)('an app under %s', (revision) => {
  it('is an HTML document of its type at its URI, with what it declares [ext-apps-03][ext-apps-04][ext-apps-05][ext-apps-06][ext-apps-16]', async () => {
    const { client, received } = await connectRecorded(serverWith({ 'ui://forecast': app(options, () => html) }), {
      protocolVersions: [revision],
    });
    const [listed] = await client.tools.list().all();
    expect(listed).toMatchObject({ _meta: { ui: { resourceUri: 'ui://forecast' } } });
    expect(await client.resources.list().all()).toMatchObject([{ uri: 'ui://forecast', mimeType }]);
    await client.resources.read('ui://forecast');
    const ui = { csp: options.csp, prefersBorder: true };
    expect(received.at(-1)).toMatchObject({
      result: { contents: [{ uri: 'ui://forecast', mimeType, text: html, _meta: { ui } }] },
    });
    await client.close();
  });

  it('has a tool whose result is text as well [ext-apps-63][ext-apps-64]', async () => {
    const { client, received } = await connectRecorded(serverWith({ 'ui://forecast': app({}, html) }), {
      protocolVersions: [revision],
    });
    await client.tools.call('forecast');
    expect(received.at(-1)).toMatchObject({ result: { content: [{ type: 'text', text: '{"degrees":7}' }] } });
    await client.close();
  });
});

describe('a definition is refused', () => {
  it.each<[string, () => unknown, string]>([
    [
      'whose app is not at ui:// [ext-apps-03]',
      () => createServer({ name: 'x', version: '1', resources: { 'app://x': app({}, html) } }),
      'begins with ui://',
    ],
    [
      'whose app is no document [ext-apps-06]',
      () => serverWith({ 'ui://forecast': app({}, '<p>Sunny') }),
      'not an HTML document',
    ],
    [
      'whose tool names an app that does not exist [ext-apps-16]',
      () => serverWith({}),
      'there is no resource ui://forecast',
    ],
    [
      'whose tool names an app elsewhere [ext-apps-16]',
      () => {
        const away = tool({ _meta: { ui: { resourceUri: 'https://a.example' } } }, () => '');
        return createServer({ name: 'x', version: '1', tools: { away } });
      },
      'begins with ui://',
    ],
  ])('%s', (_, define, text) => {
    expect(define).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message: expect.stringContaining(text) }),
    );
  });
});

it('an app that is written when it is read is refused unless it is a document, and a template can have it [ext-apps-06]', async () => {
  const errors: unknown[] = [];
  const server = createServer(
    {
      name: 'x',
      version: '1',
      tools: { forecast },
      resources: { 'ui://part': app({}, async () => '<p>Sunny') },
      resourceTemplates: { 'ui://{name}': resourceTemplate({ mimeType }, () => html) },
    },
    { onError: (error) => void errors.push(error) },
  );
  await using client = await connect(server);
  await expect(client.resources.read('ui://part')).rejects.toMatchObject({ name: 'RpcError' });
  expect(errors).toMatchObject([{ message: expect.stringContaining('not an HTML document') }]);
  expect(await client.resources.read('ui://forecast')).toMatchObject({ contents: [{ text: html }] });
});

describe.each(protocolVersions)('a tool under %s', (revision) => {
  it.each([
    ['declares the type of apps', [useExtension(appsExtension, { settings: { mimeTypes: [mimeType] } })], 'drawn'],
    ['declares another type', [useExtension(appsExtension, { settings: { mimeTypes: ['text/html'] } })], 'written'],
    ['declares nothing', [], 'written'],
  ])(
    'knows whether its client shows apps: one that %s [ext-apps-01][ext-apps-02][ext-apps-62]',
    async (_, extensions, text) => {
      const server = createServer({
        name: 'x',
        version: '1',
        extensions: [serveExtension(appsExtension, { methods: {} })],
        tools: { show: tool({}, (_given, ctx) => (supportsApps(ctx) ? 'drawn' : 'written')) },
      });
      await using client = await connect(server, { protocolVersions: [revision], extensions });
      expect((await client.tools.call('show')).content).toMatchObject([{ text }]);
      expect(client.capabilities?.extensions).toEqual({ 'io.modelcontextprotocol/ui': {} });
    },
  );
});
