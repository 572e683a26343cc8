/** Bodies that something before the handler has had a hand in: none ends the process, and each gets an answer. */
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

/** Reads the body, and keeps something instead. */
const keeping = (kept: unknown) => async (request: Seen) => {
  for await (const _chunk of request);
  request.body = kept;
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
    ['a number that is too large', 10n],
    ['a function', () => {}],
    ['what refers to itself', itself],
  ])('kept as %s, which JSON cannot hold, is 500 with what to mend', async (_what, kept) => {
    const url = await serveBehind(keeping(kept));
    for (let times = 0; times < 2; times++) {
      expect(await send(url, sent)).toMatchObject({
        status: 500,
        json: { error: { message: expect.stringContaining('request.body') } },
      });
    }
  });

  it('kept as bytes that are not UTF-8 is 400, and not repaired [e-transport-01]', async () => {
    const url = await serveBehind(keeping(Buffer.from([0x22, 0xff, 0x22])));
    expect(await send(url, sent)).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('UTF-8') } },
    });
  });
});

describe('an answer', () => {
  it('to HEAD has no body where Node refuses one, and the connection goes on', async () => {
    const url = await serveBehind(() => undefined, { rejectNonStandardBodyWrites: true });
    const { socket, until, text } = dial({ url });
    socket.write(written({ method: 'HEAD' }));
    await until(/^HTTP\/1\.1 405 [^]*\r\n\r\n$/);
    expect(text()).toMatch(/content-length: [1-9]/i);
    socket.write(written(loneCall('echo', { text: 'still here' })));
    await until(/still here/);
  });
});
