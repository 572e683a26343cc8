/** Bodies that something before the handler has read: taken as they were kept, or refused with what to mend. */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';

const closing = new Set<() => void>();
afterEach(() => {
  for (const close of closing) close();
  closing.clear();
});

/** Serves behind a parser that reads the body and keeps what `keep` makes of it. */
async function serveBehind(keep: (bytes: Buffer) => unknown): Promise<string> {
  const handler = toNodeHandler(sampleServer().server);
  const listener = createHttpServer(async (request: IncomingMessage & { body?: unknown }, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    request.body = keep(Buffer.concat(chunks));
    handler(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closing.add(() => listener.close());
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
}

describe('a body that was read before', () => {
  const sent = loneCall('echo', { text: 'grüße' });

  it.each([
    ['parsed', (bytes: Buffer) => JSON.parse(bytes.toString())],
    ['as a text', (bytes: Buffer) => bytes.toString()],
    ['as bytes', (bytes: Buffer) => bytes],
  ])('and kept %s is served', async (_how, keep) => {
    const answer = await send(await serveBehind(keep), sent);
    expect(answer).toMatchObject({ status: 200, json: { result: { content: [{ text: 'grüße' }] } } });
  });

  it('and not kept is refused at once, with what to mend', async () => {
    const answer = await send(await serveBehind(() => undefined), sent);
    expect(answer).toMatchObject({
      status: 500,
      json: { error: { message: expect.stringContaining('request.body') } },
    });
  });
});
