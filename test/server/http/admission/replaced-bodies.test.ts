/** Bodies that code in front of the handler has changed: each gets a response, and none crashes the process. */
import { createServer as createListener, type IncomingMessage, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { loneCall } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { dial, written } from '../../../kit/http/raw-socket.ts';
import { sampleServer } from '../../../kit/http/sample-server.ts';

const closing = new Set<() => void>();
afterEach(() => {
  for (const close of closing) close();
  closing.clear();
});

type Seen = IncomingMessage & { body?: unknown };

async function serveBehind(before: (request: Seen) => unknown, options: ServerOptions = {}): Promise<string> {
  const handler = toNodeHandler(sampleServer().server);
  const listener = createListener(options, async (request, response) => {
    await before(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  closing.add(() => listener.close());
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
}

/** Reads the body and sets `request.body` to another value. */
const replacing = (body: unknown) => async (request: Seen) => {
  for await (const _chunk of request);
  request.body = body;
};

const itself: unknown[] = [];
itself.push(itself);

describe('a body', () => {
  const sent = loneCall('echo', { text: 'grüße' });

  it.each(['utf8', 'latin1', 'hex', 'base64'] as const)('that is read as %s is served', async (encoding) => {
    const url = await serveBehind((request) => request.setEncoding(encoding));
    expect(await send(url, sent)).toMatchObject({ status: 200, json: { result: { content: [{ text: 'grüße' }] } } });
  });

  it.each([
    ['a bigint', 10n],
    ['a function', () => {}],
    ['a circular array', itself],
  ])('replaced by %s, which JSON cannot represent, gets 500, and the error names request.body', async (_name, body) => {
    const url = await serveBehind(replacing(body));
    for (let times = 0; times < 2; times++) {
      expect(await send(url, sent)).toMatchObject({
        status: 500,
        json: { error: { message: expect.stringContaining('request.body') } },
      });
    }
  });

  it('replaced by bytes that are not UTF-8 gets 400 [e-transport-01]', async () => {
    const url = await serveBehind(replacing(Buffer.from([0x22, 0xff, 0x22])));
    expect(await send(url, sent)).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('UTF-8') } },
    });
  });
});

describe('a response', () => {
  it('to HEAD has no body if Node rejects one, and the connection stays usable', async () => {
    const url = await serveBehind(() => undefined, { rejectNonStandardBodyWrites: true });
    const { socket, until, text } = dial({ url });
    socket.write(written({ method: 'HEAD' }));
    await until(/^HTTP\/1\.1 405 [^]*\r\n\r\n$/);
    expect(text()).toMatch(/content-length: [1-9]/i);
    socket.write(written(loneCall('echo', { text: 'still here' })));
    await until(/still here/);
  });
});
