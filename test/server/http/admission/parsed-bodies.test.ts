/** Bodies that a parser in front of the handler has read: `request.body` is used, or the error says what to fix. */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeHandlerOptions, toNodeHandler } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';

const closing = new Set<() => void>();
afterEach(() => {
  for (const close of closing) close();
  closing.clear();
});

/** Serves behind a parser that reads the body and sets `request.body` to the result of `parse`. */
async function serveBehind(parse: (bytes: Buffer) => unknown, options?: NodeHandlerOptions): Promise<string> {
  const handler = toNodeHandler(sampleServer().server, options);
  const listener = createHttpServer(async (request: IncomingMessage & { body?: unknown }, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    request.body = parse(Buffer.concat(chunks));
    handler(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closing.add(() => listener.close());
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
}

describe('a body that was read before the handler', () => {
  const sent = loneCall('echo', { text: 'grüße' });

  it.each([
    ['JSON', (bytes: Buffer) => JSON.parse(bytes.toString())],
    ['a string', (bytes: Buffer) => bytes.toString()],
    ['bytes', (bytes: Buffer) => bytes],
  ])('is served from request.body as %s', async (_how, parse) => {
    const answer = await send(await serveBehind(parse), sent);
    expect(answer).toMatchObject({ status: 200, json: { result: { content: [{ text: 'grüße' }] } } });
  });

  it('gets 500 at once if request.body is not set, and the error names request.body', async () => {
    const answer = await send(await serveBehind(() => undefined), sent);
    expect(answer).toMatchObject({
      status: 500,
      json: { error: { message: expect.stringContaining('request.body') } },
    });
  });

  describe('gets 413 with the name of the limit if it is larger than limits.maxBodyBytes,', () => {
    const limits = { maxBodyBytes: 500 };
    const refusal = { status: 413, json: { error: { message: expect.stringContaining('limits.maxBodyBytes') } } };
    const large = loneCall('echo', { text: 'x'.repeat(500) });

    it.each([
      ['as JSON', (bytes: Buffer) => JSON.parse(bytes.toString())],
      ['as a string', (bytes: Buffer) => bytes.toString()],
      ['as bytes', (bytes: Buffer) => bytes],
      ['by its Content-Length', () => JSON.parse(JSON.stringify(sent.body))],
    ])('%s', async (_how, parse) => {
      expect(await send(await serveBehind(parse, { limits }), large)).toMatchObject(refusal);
    });

    it('by the text of request.body if the Content-Length is smaller', async () => {
      const replaced = JSON.parse(JSON.stringify(large.body));
      expect(await send(await serveBehind(() => replaced, { limits }), sent)).toMatchObject(refusal);
    });

    it('and is served below it', async () => {
      const url = await serveBehind((bytes) => JSON.parse(bytes.toString()), { limits });
      expect(await send(url, sent)).toMatchObject({ status: 200 });
    });
  });
});
