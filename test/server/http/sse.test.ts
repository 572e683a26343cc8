/** HTTP+SSE, the HTTP transport of 2024-11-05. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { createServer, type HttpService, serveHttp, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';

const services: HttpService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function served(options: Parameters<typeof serveHttp>[1] = {}): Promise<HttpService> {
  const server = createServer({
    name: 'sse',
    version: '1.0.0',
    tools: {
      hi: tool({}, () => 'hello'),
      count: tool({}, (_given, ctx) => {
        ctx.reportProgress(1, 2);
        return 'counted';
      }),
    },
  });
  const service = await serveHttp(server, { port: 0, ...options });
  services.push(service);
  return service;
}

const at = (service: HttpService, path: string): URL => new URL(path, service.url);

/** Opens a stream and reads its first event. */
async function opened(service: HttpService): Promise<{ body: ReadableStreamDefaultReader<Uint8Array>; first: string }> {
  const response = await fetch(at(service, '/sse'), { headers: { accept: 'text/event-stream' } });
  const body = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await body.read();
  return { body, first: new TextDecoder().decode(value) };
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const post = (url: URL, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('HTTP+SSE', () => {
  it('serves the official SDK: tools/list and tools/call [S20] [s-sse-legacy-01]', async () => {
    const service = await served();
    const client = new Client({ name: 'old', version: '1.0.0' });
    await client.connect(new SSEClientTransport(at(service, '/sse')) as Transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hi', 'count']);
    expect((await client.callTool({ name: 'hi', arguments: {} })).content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.close();
  });

  it('sends the endpoint event first, accepts messages there, and responds on the stream [s-sse-legacy-204@2024-11-05, s-sse-legacy-205@2024-11-05, s-sse-legacy-207@2024-11-05]', async () => {
    const service = await served();
    const { body, first } = await opened(service);
    const address = /^event: endpoint\ndata: (\S+)\n\n$/.exec(first)?.[1] as string;
    expect(address).toMatch(/^\/messages\?session=[\w-]{32}$/);
    expect((await post(at(service, address), ping)).status).toBe(202);
    const { value } = await body.read();
    expect(new TextDecoder().decode(value)).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    await body.cancel();
  });

  it('answers 404 to unknown sessions', async () => {
    const service = await served();
    expect((await post(at(service, '/messages?session=guess'), ping)).status).toBe(404);
    expect((await post(at(service, '/messages'), ping)).status).toBe(404);
  });

  it('rejects pages of other origins on both paths [s-http-03, s-sse-legacy-201@2024-11-05]', async () => {
    const service = await served();
    const evil = { origin: 'http://evil.example' };
    expect((await fetch(at(service, '/sse'), { headers: evil })).status).toBe(403);
    expect((await post(at(service, '/messages?session=x'), ping, evil)).status).toBe(403);
  });

  it('limits its streams, and is absent if legacySse is false', async () => {
    const full = await served({ sessions: { maxCount: 1 } });
    const { body, first } = await opened(full);
    const [, messages = ''] = /data: (.*)/.exec(first) ?? [];
    const headers = { 'content-type': 'application/json' };
    await fetch(at(full, messages), { method: 'POST', headers, body: ping });
    expect((await fetch(at(full, '/sse'))).status).toBe(503);
    await body.cancel();
    expect((await fetch(at(await served({ legacySse: false }), '/sse'))).status).toBe(404);
  });

  it('ends its streams when the server closes, with a retry time', async () => {
    const service = await served();
    const { body } = await opened(service);
    await service.close();
    expect(new TextDecoder().decode((await body.read()).value)).toBe('retry: 1000\n\n');
    expect((await body.read()).done).toBe(true);
  });
});
