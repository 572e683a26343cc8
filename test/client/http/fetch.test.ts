/** The client without Node APIs: the tests of the rich server over `fetch`. */

import { type AddressInfo, createServer } from 'node:net';
import { type HttpService, serveHttp } from 'tenon';
import { type Client, connect, createClient } from 'tenon/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scripted } from '../../kit/http/scripted-server.ts';
import { tryRichServer } from '../../kit/peers/client-suite.ts';
import { answers } from '../../kit/peers/conversation.ts';
import { createRichServer } from '../../kit/peers/rich-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

describe.each(['2025-11-25', '2026-07-28'] as const)('over fetch at %s the Tenon server', (revision) => {
  let service: HttpService;
  let client: Client;
  const logs: unknown[] = [];
  const warnings: Error[] = [];

  beforeAll(async () => {
    service = await serveHttp(createRichServer(), { port: 0 });
    client = await connect(new URL(service.url), {
      protocolVersions: [revision],
      handlers: answers,
      logLevel: 'info',
      onLog: (entry) => logs.push(entry),
      onWarning: (error) => warnings.push(error),
    });
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });

  const send = async (name: string, input = {}): Promise<string> => {
    const { content } = (await client.tools.call(name, input)) as { content: { text: string }[] };
    return content.map(({ text }) => text).join();
  };
  tryRichServer(revision, () => ({ client, logs, send }));

  it('sent nothing that was dropped', async () => {
    expect(warnings).toEqual([]);
    await withTimeout(client.close(), 'the client to close');
  });
});

it('over fetch a closed port fails with connection-refused', async () => {
  const closedServer = createServer();
  const port = await new Promise((resolve) =>
    closedServer.listen(0, '127.0.0.1', () => resolve((closedServer.address() as AddressInfo).port)),
  );
  await new Promise((resolve) => closedServer.close(resolve));
  await expect(connect(`http://127.0.0.1:${port}/mcp`, { reconnect: false })).rejects.toMatchObject({
    code: 'connection-refused',
  });
});

it('over fetch a blocked port fails with invalid-argument, and is not retried', async () => {
  const error = { code: 'invalid-argument', message: expect.stringMatching(/port that fetch refuses.*another port/s) };
  await expect(connect('http://127.0.0.1:6000/mcp')).rejects.toMatchObject(error);
  const client = createClient('http://127.0.0.1:6000/mcp');
  await expect(client.tools.list().all()).rejects.toMatchObject(error);
  await client.close();
});

it('over fetch a redirect is not followed', async () => {
  const server = await scripted(({ response }) =>
    response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
  );
  await expect(connect(server.url, { reconnect: false })).rejects.toMatchObject({ code: 'redirect-not-followed' });
});
