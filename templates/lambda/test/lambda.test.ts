/** The function answers under every protocol version, streams, and answers only callers with a key: behind a stand-in for Lambda. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, toText } from 'tenon';
import { generateApiKey } from 'tenon/auth';
import { protocolVersions } from 'tenon/protocol';
import { setAwslambda, startFunctionUrl } from './stand-in.ts';

const { id, key, hash } = await generateApiKey();
process.env.PUBLIC_HOST = '127.0.0.1';
process.env.API_KEYS = JSON.stringify([{ id, hash, subject: 'ada' }]);
setAwslambda();
const { handle, handler } = await import('../src/lambda.ts');
const { url, close } = await startFunctionUrl(handler);
after(async () => {
  close();
  await handle.close();
});
const headers = { authorization: `Bearer ${key}` };

test('forecast names the city, in every protocol version', async () => {
  for (const version of protocolVersions) {
    const client = await connect({ url, headers }, { protocolVersions: [version] });
    assert.equal(toText(await client.tools.call('forecast', { city: 'Oslo' })), 'Sunny in Oslo', version);
    await client.close();
  }
});

test('progress arrives before the result', async () => {
  const client = await connect({ url, headers });
  const shown: number[] = [];
  await client.tools.call('forecast', { city: 'Oslo' }, { onProgress: ({ progress }) => shown.push(progress) });
  assert.deepEqual(shown, [1]);
  await client.close();
});

test('a request without a key is refused', async () => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  assert.equal((await fetch(url, request)).status, 401);
});
