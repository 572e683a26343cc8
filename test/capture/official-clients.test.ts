/** A capture of each protocol version, replayed over HTTP, satisfies the official clients that speak it. */
import {
  StreamableHTTPClientTransport as V2Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { serveHttp } from 'tenon';
import { createCapture, type ReadCapture, readCapture, replayServer, serveReplay } from 'tenon/capture';
import { expect, it, vi } from 'vitest';
import { connectV1, connectV2, type OfficialClient } from '../kit/peers/official-clients.ts';
import { createRichServer } from '../kit/peers/rich-server.ts';
import { isSince } from '../kit/version-order.ts';

type Open = (url: string) => Promise<OfficialClient>;

const v1: Open = (url) => connectV1(new V1Transport(new URL(url)) as Transport);
const v1Sse: Open = (url) => connectV1(new SSEClientTransport(new URL(url.replace(/mcp$/, 'sse'))) as Transport);
const v2 =
  (mode: VersionNegotiationMode): Open =>
  (url) =>
    connectV2(new V2Transport(new URL(url)), mode);

const cells: readonly (readonly [revision: string, client: string, open: Open])[] = [
  ['2024-11-05', 'SDK v1 over HTTP+SSE', v1Sse],
  ['2024-11-05', 'SDK v1', v1],
  ['2025-03-26', 'SDK v1', v1],
  ['2025-06-18', 'SDK v1', v1],
  ['2025-11-25', 'SDK v1', v1],
  ['2025-06-18', 'SDK v2 in legacy mode', v2('legacy')],
  ['2025-11-25', 'SDK v2 in auto mode', v2('auto')],
  ['2026-07-28', 'SDK v2 in auto mode', v2('auto')],
  ['2026-07-28', 'SDK v2 pinned', v2({ pin: '2026-07-28' })],
];

/** What the client gets of everything that the server offers. */
async function used(client: OfficialClient, revision: string): Promise<unknown[]> {
  const isAlone = revision === '2026-07-28';
  if (!isAlone) await client.setLoggingLevel('info');
  const results = [
    client.getServerVersion(),
    client.getInstructions(),
    await client.listTools(),
    await client.call('echo', { message: 'häll\no 🌍' }),
    await client.call('add', { a: 2, b: 3 }),
    await client.call('fail'),
    await client.call('nowhere').catch(({ code, message }) => ({ code, message })),
    await client.listResources(),
    await client.listResourceTemplates(),
    await client.readResource({ uri: 'note://bytes' }),
    await client.listPrompts(),
    await client.getPrompt({ name: 'plan', arguments: { city: 'Oslo' } }),
    await client.complete({ ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: 'o' } }),
    await client.call('count', { to: 3 }, { onprogress: () => {} }),
    ...(isSince(revision, '2025-06-18') ? [await client.call('greet')] : []),
    await client.call('think'),
    await client.call('where'),
  ];
  await client.follow('note://one');
  results.push(await client.call('write', { text: 'second' }), await client.call('grow'));
  await vi.waitFor(() => expect(methodsOf(client)).toEqual(expect.arrayContaining(notified)));
  results.push(await client.listTools(), await client.readResource({ uri: 'note://one' }));
  return results;
}

/** They may arrive after the result of the call that caused them. */
const notified = [
  'notifications/message',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
];

const methodsOf = ({ messages }: OfficialClient): unknown[] =>
  messages.flatMap(({ method }) => (method === undefined ? [] : [method])).sort();

/** Uses the real server once, while a tap of the server records it. */
async function record(revision: string, open: Open): Promise<{ capture: ReadCapture; results: unknown[] }> {
  const lines: string[] = [];
  const capture = createCapture({ write: (line) => lines.push(line), keepAnswers: true });
  const server = createRichServer({ protocolVersions: [revision as never] });
  const service = await serveHttp(server, { port: 0, tap: capture.tap });
  const client = await open(service.url);
  const results = [client.revision, await used(client, revision), methodsOf(client)];
  await client.close();
  await service.close();
  capture.end();
  return { capture: readCapture(lines.join('')), results };
}

it.each(cells)('a replay of %s gives a client of %s what the server gave [S31]', async (revision, _name, open) => {
  const { capture, results } = await record(revision, open);
  const unknown: string[] = [];
  const service = await serveReplay(replayServer(capture, { onUnknown: (method) => unknown.push(method) }));
  const client = await open(service.url);
  const replayed = [client.revision, await used(client, revision), methodsOf(client)];
  expect(results[0]).toBe(revision);
  expect(replayed).toEqual(results);
  expect(client.errors).toEqual([]);
  expect(unknown).toEqual([]);
  await client.close();
  await service.close();
});
