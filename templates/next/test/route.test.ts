/** The server answers under every protocol version, and the route only to callers with a key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { eachProtocolVersion } from 'tenon/test';
import server from '../src/server.ts';

const { id, key, hash } = await generateApiKey();
process.env.PUBLIC_HOST = 'mcp.example.com';
process.env.API_KEYS = JSON.stringify([{ id, hash, subject: 'ada' }]);
const { POST } = await import('../src/app/mcp/[[...events]]/route.ts');

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'forecast', arguments: { city: 'Oslo' } } };

const post = (headers: Record<string, string>): Promise<Response> =>
  POST(
    new Request('https://mcp.example.com/mcp', {
      method: 'POST',
      headers: {
        host: 'mcp.example.com',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      body: JSON.stringify(call),
    }),
  );

test('forecast names the city', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const result = await client.tools.call('forecast', { city: 'Oslo' });
    assert.equal(toText(result), 'Sunny in Oslo', protocolVersion);
  }
});

test('the route answers a caller with a key', async () => {
  const response = await post({ authorization: `Bearer ${key}` });
  assert.equal(response.status, 200);
  assert.match(await response.text(), /Sunny in Oslo/);
});

test('a request without a key is refused', async () => {
  assert.equal((await post({})).status, 401);
});
