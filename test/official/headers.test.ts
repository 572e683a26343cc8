/** Handlers of the official SDK read the headers of the HTTP request, without its credentials. */
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { connect, createServer, type Server, serveHttp, tool, toText } from '../../src/node/index.ts';
import { sdkHandler } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { toFetchHandler } from '../../src/server/http/fetch.ts';
import { loneCall } from '../kit/http/messages.ts';

const info = { name: 'tenants', version: '1.0.0' };
const read = ['x-tenant', 'authorization', 'cookie', 'mcp-session-id'];
const text = (values: readonly unknown[]) => ({ content: [{ type: 'text' as const, text: values.join('|') }] });

function createV1(): ServerV1 {
  const server = new ServerV1(info);
  server.registerTool('tenant', {}, ({ requestInfo }) => text(read.map((name) => requestInfo?.headers[name])));
  return server;
}

function createV2(): ServerV2 {
  const server = new ServerV2(info);
  server.registerTool('tenant', {}, ({ http }) => text(read.map((name) => http?.req?.headers.get(name))));
  return server;
}

const handlers = () =>
  createServer({
    ...info,
    tools: {
      tenant: tool(
        {},
        sdkHandler((_, { requestInfo, http }) =>
          text(read.map((name) => requestInfo?.headers[name] ?? http?.req?.headers.get(name))),
        ),
      ),
    },
  });

const servers: readonly (readonly [string, () => Server | Promise<Server>])[] = [
  ['a server of SDK v1', () => fromOfficial(createV1)],
  ['a server of SDK v2', () => fromOfficial(createV2)],
  ['sdkHandler', async () => handlers()],
];

/** Values that a request does not have are empty. */
const onlyTenant = 'acme|||';

describe.each(servers)('A handler of %s', (_, create) => {
  it.each(protocolVersions)('reads a header of its request, and no credentials, in %s', async (version) => {
    const service = await serveHttp(await create(), { port: 0 });
    const headers = { 'X-Tenant': 'acme', Authorization: 'Bearer secret', Cookie: 'a=secret' };
    const client = await connect({ url: service.url, headers }, { protocolVersions: [version] });
    expect(toText(await client.tools.call('tenant'))).toBe(onlyTenant);
    await client.close();
    await service.close();
  });

  it('reads them behind a function from Request to Response', async () => {
    const handle = toFetchHandler(await create());
    const { headers: sent, body } = loneCall('tenant', {});
    const headers = new Headers({ 'content-type': 'application/json', 'x-tenant': 'acme', cookie: 'a=secret' });
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, value);
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await (await handle(request)).json()).toMatchObject({ result: { content: [{ text: onlyTenant }] } });
  });

  it('has none without HTTP', async () => {
    const client = await connect((await create()) as never);
    expect(toText(await client.tools.call('tenant'))).toBe('|||');
    await client.close();
  });
});
