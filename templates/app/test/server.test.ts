/** The tool answers under every protocol version, and names a page that is whole. */
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

test('the app of forecast is one page that loads nothing', async () => {
  for await (const { client, protocolVersion } of eachProtocolVersion(server, { protocolVersions: ['2026-07-28'] })) {
    const [forecast] = await client.tools.list().all();
    assert.ok(forecast, protocolVersion);
    const { resourceUri } = (forecast._meta as { ui: { resourceUri: string } }).ui;
    const [page] = (await client.resources.read(resourceUri)).contents;
    assert.equal(page?.mimeType, 'text/html;profile=mcp-app', protocolVersion);
    const html = page !== undefined && 'text' in page ? page.text : '';
    assert.match(html, /<script type="module">.*ui\/initialize/s);
    assert.doesNotMatch(html, /<(?:script|link)[^>]*(?:src|href)=/);
  }
});
