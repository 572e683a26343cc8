/** Tenon in Express, Fastify, Hono and Next: the unchanged examples, used over a real port. */

import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { loneCall, startSession } from '../kit/http/messages.ts';
import { open, send } from '../kit/http/raw-http.ts';
import { requires } from '../kit/requires.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { layOut, type Running, runIn, start, whyNot } from './framework.ts';

const plain = (file: string) => () => start('.', ['--import', 'tsx', file]);
const next = '../node_modules/next/dist/bin/next';

async function startNext(): Promise<Running> {
  const [code, text] = await runIn('next', [next, 'build']);
  expect([code, text]).toEqual([0, expect.stringContaining('/mcp')]);
  return start('next', [next, 'start', '--port', '0', '--hostname', '127.0.0.1']);
}

const frameworks = [
  // A body parser in front of the handler refuses with its own message.
  { name: 'Express', begin: plain('express.ts'), refusal: 'Bad Request' },
  { name: 'Fastify', begin: plain('fastify.ts'), refusal: '-32700' },
  { name: 'Hono', begin: plain('hono.ts'), refusal: '-32700' },
  { name: 'Next', begin: startNext, refusal: '-32700' },
];

const missing = whyNot();
const there = missing === undefined ? frameworks : [];

beforeAll(() => {
  if (missing === undefined) layOut();
});

it('the framework examples type check against the published form of Tenon', async (context) => {
  requires(context, missing);
  expect(await runIn('.', [join(root, 'node_modules/ts7/bin/tsc'), '-p', 'tsconfig.json'])).toEqual([0, '']);
});

describe.each(there)('$name', ({ begin, refusal }) => {
  let running: Running;
  beforeAll(async () => {
    running = await begin();
  });
  afterAll(() => running?.stop());

  it('serves a client of the official SDK in a session, with progress on a stream [S20]', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(running.url));
    await withTimeout(client.connect(transport as Transport), 'the handshake');
    expect(transport.sessionId).toEqual(expect.any(String));
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Oslo' } });
    expect(content).toEqual([{ type: 'text', text: 'Hello, Oslo' }]);
    const progressed: number[] = [];
    const counted = await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: ({ progress }) => progressed.push(progress),
    });
    expect([progressed, counted.content]).toEqual([[1, 2, 3], [{ type: 'text', text: 'Counted to 3' }]]);
    await transport.terminateSession();
    await client.close();
  });

  it('serves requests of exchanges, as JSON or as a stream, and refuses invalid ones', async () => {
    const answer = await send(running.url, loneCall('greet', { name: 'grüße' }));
    expect(answer).toMatchObject({ status: 200, json: { result: { content: [{ text: 'Hello, grüße' }] } } });
    const stream = await open(running.url, loneCall('count', { to: 2 }, { progressToken: 1 }));
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }, { id: 1 }]);
    const { headers, body } = loneCall('greet', { name: 'x' });
    expect((await send(running.url, { headers: { ...headers, 'mcp-name': 'other' }, body })).status).toBe(400);
    expect((await send(running.url, { headers: { ...headers, origin: 'https://evil.example' }, body })).status).toBe(
      403,
    );
  });

  it('opens a stream of a session at once, and releases it', async () => {
    const session = await startSession(running.url, '2025-11-25');
    // Earlier than the first keep-alive comment of a silent stream.
    const stream = await withTimeout(session.listen(), 'the headers of the stream', 10_000);
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect((await session.end()).status).toBe(204);
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
  });

  it('lets a client of the founding documents open its event stream [S20]', async () => {
    const stream = await open(`${running.url}/events`, { method: 'GET', headers: { accept: 'text/event-stream' } });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    stream.cut();
  });

  it('answers a body that is not JSON with 400', async () => {
    const { status, text } = await send(running.url, { body: '{' });
    expect([status, text]).toEqual([400, expect.stringContaining(refusal)]);
  });
});
