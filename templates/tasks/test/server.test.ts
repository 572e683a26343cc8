/** The server answers under every protocol version, also those without tasks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from 'tenon';
import { eachProtocolVersion } from 'tenon/test';
import server from '../src/server.ts';

test('report names the rows and the file', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const result = await client.tools.call('report', { year: 2026 });
    assert.equal(toText(result), '1000 rows in report-2026.pdf', protocolVersion);
  }
});

test('report shows its progress', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const shown: (string | undefined)[] = [];
    await client.tools.call('report', { year: 2026 }, { onProgress: ({ message }) => shown.push(message) });
    // The oldest version has no messages.
    if (protocolVersion !== '2024-11-05') assert.deepEqual(shown, ['The rows are read'], protocolVersion);
  }
});

test('report refuses a year that is too early', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
    const { isError } = await client.tools.call('report', { year: 1900 });
    assert.equal(isError, true, protocolVersion);
  }
});
