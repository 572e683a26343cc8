/** The worker, run by workerd, answers under every protocol version, and only to callers with a key. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { protocolVersions } from 'tenon/protocol';
import { unstable_dev } from 'wrangler';

const { id, key, hash } = await generateApiKey();
const worker = await unstable_dev('src/worker.ts', {
  config: 'wrangler.jsonc',
  ip: '127.0.0.1',
  vars: { PUBLIC_HOST: 'localhost', API_KEYS: JSON.stringify([{ id, hash, subject: 'ada' }]) },
  logLevel: 'error',
  experimental: { disableExperimentalWarning: true },
});
after(() => worker.stop());
const url = `http://localhost:${worker.port}/mcp`;
const headers = { authorization: `Bearer ${key}` };

test('forecast names the city, in every protocol version', async () => {
  for (const version of protocolVersions) {
    const client = await connect({ url, headers }, { protocolVersions: [version] });
    assert.equal(toText(await client.tools.call('forecast', { city: 'Oslo' })), 'Sunny in Oslo', version);
    await client.close();
  }
});

test('forecast refuses an empty city', async () => {
  const client = await connect({ url, headers });
  const { isError } = await client.tools.call('forecast', { city: '' });
  assert.equal(isError, true);
  await client.close();
});

test('a request without a key is refused', async () => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  assert.equal((await fetch(url, request)).status, 401);
});
