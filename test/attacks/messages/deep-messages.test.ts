/** Messages nested deeper than a stack allows: what records and replays refuses them, or passes them on, and serves the next. */
import { connect, createServer, tool } from 'tenon';
import { createCapture, type ReadCapture, readCapture, replayServer } from 'tenon/capture';
import { createMemoryTransports, type Transport } from 'tenon/transport';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHttpSessions } from '../../../src/capture/http/sessions.ts';
import { joinTransports } from '../../../src/cli/capture/join-transports.ts';
import { TransportPeer } from '../../../src/cli/capture/transport-peer.ts';

const server = () => createServer({ name: 's', version: '1', tools: { hello: tool({}, () => 'hi') } });

let capture: ReadCapture;
beforeAll(async () => {
  const lines: string[] = [];
  const { tap } = createCapture({ write: (line) => lines.push(line) });
  const client = await connect(server(), { tap, protocolVersions: ['2025-11-25'] });
  await client.tools.call('hello');
  await client.close();
  capture = readCapture(lines.join(''));
});

const levels = 50_000;
const deep = '['.repeat(levels) + ']'.repeat(levels);
const called = (args: string, id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hello","arguments":${args}}}`;
const plain = called('{}');

const messages = [
  ['arguments', called(deep, '9')],
  ['the ID of a request', called('{}', deep)],
  ['the ID of an answer', `{"jsonrpc":"2.0","id":${deep},"result":{}}`],
] as const;

const post = (fetch: (request: Request) => Promise<Response>, body: string, session?: string) =>
  fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      body,
      ...(session !== undefined && { headers: { 'mcp-session-id': session } }),
    }),
  );

const initialize =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}';

/** A connection to a server in this process. */
function opened(): Promise<Transport> {
  const [own, other] = createMemoryTransports();
  server().accept(other);
  return Promise.resolve(own);
}

const endpoints = [
  ['a replay', () => replayServer(capture).fetch],
  [
    'a recording of a server with one connection',
    () => createHttpSessions(() => new TransportPeer(opened(), () => {})).fetch,
  ],
] as const;

describe.each(endpoints)('%s over HTTP', (_name, open) => {
  it.each(messages)('refuses deeply nested %s, and serves the next message [S24, S36]', async (_part, message) => {
    const fetch = open();
    const session = (await post(fetch, initialize)).headers.get('mcp-session-id') ?? '';
    const refused = await post(fetch, message, session);
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: -32700 } }]);
    const served = await post(fetch, plain, session);
    expect(await served.json()).toMatchObject({ id: 7, result: { content: [{ text: 'hi' }] } });
  });
});

/** Sends texts to a transport in turn, and returns the first answer with an ID of its own. */
async function answerTo(transport: Transport, texts: readonly string[]): Promise<unknown> {
  return new Promise((resolve) => {
    transport.open({
      onMessage(text) {
        const { id } = JSON.parse(text) as { id: unknown };
        if (id === 7) resolve(JSON.parse(text));
      },
      onClose: () => resolve('closed'),
    });
    for (const text of texts) transport.send(text);
  });
}

describe('on a connection', () => {
  it.each(messages)('a replay ignores deeply nested %s [S24, S36]', async (_part, message) => {
    const [client, far] = createMemoryTransports();
    replayServer(capture).accept(far);
    const answer = await answerTo(client, [initialize, message, plain]);
    expect(answer).toMatchObject({ result: { content: [{ text: 'hi' }] } });
  });

  it.each(messages)('a recording passes deeply nested %s on, from either side [S24, S36]', async (_part, message) => {
    const [client, farClient] = createMemoryTransports();
    const [server, farServer] = createMemoryTransports();
    const received: string[] = [];
    farServer.open({
      onMessage(text) {
        received.push(text);
        if (text === plain) for (const sent of [message, '{"jsonrpc":"2.0","id":7,"result":{}}']) farServer.send(sent);
      },
      onClose() {},
    });
    void joinTransports(farClient, server as never);
    expect(await answerTo(client, [message, plain])).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    expect(received).toEqual([message, plain]);
  });
});
