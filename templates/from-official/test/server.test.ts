/** The official server answers under every protocol version, as far as the policy allows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from 'tenon';
import { eachProtocolVersion } from 'tenon/test';
import server from '../src/server.ts';

test('forecast names the city', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const result = await client.tools.call('forecast', { city: 'Oslo' });
    assert.equal(toText(result), 'Sunny in Oslo', protocolVersion);
  }
});

test('forecast refuses an empty city', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const { isError } = await client.tools.call('forecast', { city: '' });
    assert.equal(isError, true, protocolVersion);
  }
});

test('reset is neither listed nor called', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const tools = await client.tools.list().all();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['forecast'],
      protocolVersion,
    );
    await assert.rejects(client.tools.call('reset'), protocolVersion);
  }
});
