/** `client.batch()`: several requests in one message, where the protocol version has batches. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import type { Json } from '../kit/transport/raw-connection.ts';
import { recorded } from '../kit/transport/recorded-connection.ts';
import { scriptedAt } from '../kit/transport/scripted-server.ts';

const batching = '2025-03-26';

function makeServer() {
  const { promise: begun, resolve: begin } = deferred();
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      echo: tool({ inputSchema: z.object({ text: z.string() }) }, ({ text }) => text),
      wait: tool({}, (_given, { signal }) => {
        begin();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
      log: tool({}, (_given, { log }) => {
        log('error', 'logged');
        return 'logged';
      }),
    },
  });
  return { server, begun };
}

/** A connection in memory, and what the client sends on it. */
async function inMemory() {
  const { server, begun } = makeServer();
  const sent: unknown[] = [];
  const watched = recorded(server, ({ from, message }) => from === 'client' && sent.push(message));
  const client = await connect(watched, { protocolVersions: [batching] });
  onTestFinished(() => client.close());
  return { client, sent, begun };
}

async function overHttp() {
  const { server, begun } = makeServer();
  const service = await serveHttp(server, { port: 0 });
  onTestFinished(() => service.close());
  const client = await connect(service.url, { protocolVersions: [batching] });
  onTestFinished(() => client.close());
  return { client, begun };
}

const echo = (text: unknown) => ({ method: 'tools/call', params: { name: 'echo', arguments: { text } } });

describe.each([
  ['in memory', inMemory],
  ['over HTTP', overHttp],
])('a batch %s', (_where, open) => {
  it('gives each request its result or its error, in their order [S31]', async () => {
    const { client } = await open();
    const settled = await client.batch([
      echo('one'),
      { method: 'tools/call', params: { name: 'none' } },
      { method: 'ping' },
      { method: 'tools/call', params: { name: 'log' } },
      { method: 'no/such-method' },
      echo('two'),
    ]);
    expect(settled).toMatchObject([
      { status: 'fulfilled', value: { content: [{ text: 'one' }] } },
      { status: 'rejected', reason: { name: 'RpcError', reason: 'invalid-params' } },
      { status: 'fulfilled', value: {} },
      { status: 'fulfilled', value: { content: [{ text: 'logged' }] } },
      { status: 'rejected', reason: { code: 'capability-not-supported' } },
      { status: 'fulfilled', value: { content: [{ text: 'two' }] } },
    ]);
  });

  it('does not send a request whose capability the server did not declare; the others are sent [S04]', async () => {
    const { client } = await open();
    expect(await client.batch([{ method: 'prompts/list' }, echo('sent')])).toMatchObject([
      { status: 'rejected', reason: { code: 'capability-not-supported', details: { capability: 'prompts' } } },
      { status: 'fulfilled', value: { content: [{ text: 'sent' }] } },
    ]);
  });

  it('that is cancelled cancels each of its requests', async () => {
    const { client, begun } = await open();
    const controller = new AbortController();
    const wait = { method: 'tools/call', params: { name: 'wait' } };
    const batch = client.batch([wait, wait], { signal: controller.signal });
    await begun;
    controller.abort('enough');
    expect(await batch).toMatchObject([{ reason: { code: 'cancelled' } }, { reason: { code: 'cancelled' } }]);
    expect(await client.batch([echo('still open')])).toMatchObject([{ status: 'fulfilled' }]);
  });

  it('over the limit is not sent, and each request gets the error by name', async () => {
    const { client } = await open();
    const settled = await client.batch(Array.from({ length: 101 }, () => ({ method: 'ping' })));
    expect(settled).toHaveLength(101);
    for (const one of settled) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'batch-too-long' } });
    expect(await client.batch([{ method: 'ping' }])).toMatchObject([{ status: 'fulfilled' }]);
  });
});

it('a batch is one message on the wire, with one id each [S31]', async () => {
  const { client, sent } = await inMemory();
  const before = sent.length;
  await client.batch([echo('one'), { method: 'ping' }]);
  expect(sent.slice(before)).toMatchObject([[{ method: 'tools/call' }, { method: 'ping' }]]);
  const [batch] = sent.slice(before) as [Json[]];
  expect(new Set(batch.map(({ id }) => id)).size).toBe(2);
});

describe.each(protocolVersions.filter((one) => one !== batching))('at %s', (revision) => {
  it('a batch is rejected by name, and nothing is sent', async () => {
    const { client, received } = scriptedAt(revision, { tools: {} }, () => ({}));
    const { batch } = await client;
    const before = received.length;
    await expect(batch([{ method: 'tools/list' }])).rejects.toMatchObject({
      code: 'capability-not-supported',
      details: { revision },
      message: expect.stringContaining('one by one'),
    });
    expect(received).toHaveLength(before);
  });
});

it.each([
  ['no list', 'x', 'requests'],
  ['an empty list', [], 'requests'],
  ['no request', [5], 'requests[0]'],
  ['a request without a method', [{ method: 'ping' }, {}], 'requests[1].method'],
  ['a handshake', [{ method: 'initialize' }], 'requests[0].method'],
  ['params that are no object', [{ method: 'ping', params: [] }], 'requests[0].params'],
])('a batch of %s is rejected with its place', async (_what, requests, place) => {
  const { client } = await inMemory();
  await expect(client.batch(requests as never)).rejects.toMatchObject({ code: 'invalid-argument', details: { place } });
});
