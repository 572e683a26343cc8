/** Clients of the official SDKs with our server over HTTP: every primitive, both lifecycles, with sessions and without. */

import {
  StreamableHTTPClientTransport as V2Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type HttpService, serveHttp } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectV1, connectV2, type OfficialClient } from '../../kit/peers/official-clients.ts';
import { tryEverything } from '../../kit/peers/official-suite.ts';
import { createRichServer } from '../../kit/peers/rich-server.ts';
import { isSession } from '../../kit/version-order.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const alone = '2026-07-28';
const newest = '2025-11-25';

const openV1 = (url: string): Promise<OfficialClient> => connectV1(new V1Transport(new URL(url)) as Transport);
const openV2 = (url: string, mode: VersionNegotiationMode): Promise<OfficialClient> =>
  connectV2(new V2Transport(new URL(url)), mode);

interface Cell {
  readonly name: string;
  readonly revision: string;
  readonly open: (url: string) => Promise<OfficialClient>;
}

const cells: Cell[] = [
  { name: 'SDK v1', revision: newest, open: openV1 },
  { name: 'SDK v2 in legacy mode', revision: newest, open: (url) => openV2(url, 'legacy') },
  { name: 'SDK v2 in auto mode', revision: alone, open: (url) => openV2(url, 'auto') },
  { name: 'SDK v2 pinned to 2026-07-28', revision: alone, open: (url) => openV2(url, { pin: alone }) },
];

describe.each(cells)('our server over HTTP and a client of $name', ({ revision, open }) => {
  let client: OfficialClient;
  let service: HttpService;
  const warnings: Error[] = [];

  beforeAll(async () => {
    service = await serveHttp(createRichServer(), {
      port: 0,
      strict: true,
      onWarning: (error) => warnings.push(error),
    });
    client = await open(service.url);
  });
  afterAll(() => service.close());

  const isAlone = !isSession(revision);
  tryEverything(revision, () => client, {
    serverRequests: isAlone ? ' [e-http-19]' : '',
    cancelling: isAlone ? ' [e-http-26, e-http-28]' : '',
  });

  it('close without warnings, streams or calls left', async () => {
    expect(warnings).toEqual([]);
    expect(service.stats().sessions).toBe(isAlone ? 0 : 1);
    await withTimeout(client.close(), 'the client to close');
    await vi.waitFor(() => expect(service.stats()).toMatchObject({ streams: 0, activeCalls: 0 }));
  });
});

describe.each(cells.slice(0, 2))('our server without sessions and a client of $name', ({ revision, open }) => {
  let client: OfficialClient;
  let service: HttpService;

  beforeAll(async () => {
    service = await serveHttp(createRichServer(), { port: 0, sessions: false });
    client = await open(service.url);
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  it('support tools, resources and prompts, and no session is stored', async () => {
    expect(client.revision).toBe(revision);
    expect(await client.call('add', { a: 2, b: 3 })).toMatchObject({ structuredContent: { sum: 5 } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'first' }]);
    const { messages } = await client.getPrompt({ name: 'plan', arguments: { city: 'Oslo' } });
    expect(messages).toMatchObject([{ content: { text: 'Plan a day in Oslo' } }]);
    await client.call('count', { to: 2 }, { onprogress: () => {} });
    expect(client.messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(2);
    await expect(client.call('greet')).rejects.toMatchObject({ data: { requiredCapabilities: { elicitation: {} } } });
    expect(service.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
  });
});
