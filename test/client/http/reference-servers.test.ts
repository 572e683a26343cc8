/** A client and a server written after document 003: no sessions, and notifications at GET /mcp/events. */
import { connect } from 'tenon';
import { expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { answer, scripted, stream } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
const serverInfo = { name: 'example-server', version: '1.0.0' };
const uri = 'file:///config/app.json';
const event = (message: object): string =>
  `event: notification\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

it.each([404, 405])('reads GET /mcp/events where GET /mcp is %d [S20]', async (status) => {
  const server = await scripted(({ method, path, message, response }) => {
    if (method === 'GET' && path === '/mcp/events') return stream(response);
    if (method === 'GET') return response.writeHead(status).end();
    if (message.method === 'server/discover') return response.writeHead(404).end();
    if (message.method === 'initialize')
      return answer(response, message.id, { protocolVersion: '2025-06-18', capabilities, serverInfo });
    if (message.method === 'resources/subscribe') return answer(response, message.id, {});
    return false;
  });
  const updated = deferred<string>();
  await using client = await connect(
    { url: server.url, headers: { authorization: 'Bearer token123' } },
    { protocolVersions: ['2025-06-18'] },
  );
  const changes = await client.subscribe({ resourceSubscriptions: [uri] });
  const listening = await server.until(({ path }) => path === '/mcp/events');
  expect(listening.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer token123' });
  listening.response.write(event({ method: 'notifications/resources/updated', params: { uri } }));
  void (async () => {
    for await (const change of changes) if (change.type === 'resource') updated.resolve(change.uri);
  })();
  expect(await withTimeout(updated.promise, 'the update')).toBe(uri);
});

it('asks for it once, and works without it [S20]', async () => {
  const server = await scripted();
  await using client = await connect(server.url, { protocolVersions: ['2025-06-18'] });
  expect((await client.tools.call('any')).content).toEqual([{ type: 'text', text: 'done' }]);
  await client.tools.call('any');
  expect(server.received.filter(({ method }) => method === 'GET').map(({ path }) => path)).toEqual([
    '/mcp',
    '/mcp/events',
  ]);
});
