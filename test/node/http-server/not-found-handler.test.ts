/** A `notFound` handler that fails: the process survives, and a response that was sent arrives. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { type Served, serve } from '../../kit/http/sample-server.ts';

const failing = (): never => {
  throw new Error('broken');
};

async function got(served: Served, target = '/x'): Promise<string> {
  const { socket, received } = dial(served);
  socket.write(written({ method: 'GET', headers: { connection: 'close' } }, target));
  return received;
}

const serves = async ({ url }: Served): Promise<number> => (await send(url, loneCall('echo', { text: 'x' }))).status;

it('an invalid status message becomes 500 with the default status message', async () => {
  const notFound = (request: IncomingMessage, response: ServerResponse): void => {
    response.statusCode = 404;
    response.statusMessage = `No ${decodeURIComponent(request.url ?? '')}`;
    response.end();
  };
  const served = await serve({ notFound });
  expect(await got(served, '/caf%0A')).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
  expect(served.warnings).toMatchObject([
    {
      code: 'callback-failed',
      message: expect.stringContaining('the client got 500'),
      cause: { code: 'ERR_INVALID_CHAR' },
    },
  ]);
  expect(await serves(served)).toBe(200);
});

it.each([
  ['at once', failing],
  ['later', async () => failing()],
])('if no response can be written and the handler fails %s, the connection is closed', async (_when, fail) => {
  const notFound = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead = failing;
    return fail();
  };
  const served = await serve({ notFound });
  expect(await got(served)).toBe('');
  expect(served.warnings).toMatchObject([
    {
      code: 'callback-failed',
      message: expect.stringContaining('connection was closed'),
      cause: { message: 'broken' },
    },
  ]);
  expect(await serves(served)).toBe(200);
});

it('a response that has begun when its handler fails is cut, and the warning says so', async () => {
  const notFound = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('some');
    failing();
  };
  const served = await serve({ notFound });
  await got(served);
  expect(served.warnings).toMatchObject([{ message: expect.stringContaining('connection was closed') }]);
  expect(await serves(served)).toBe(200);
});

it.each([
  ['at once', failing],
  ['later', async () => failing()],
])(
  'a response that was sent before its handler failed %s arrives whole, and the warning names no 500',
  async (_when, fail) => {
    const page = 'x'.repeat(5_000_000);
    const notFound = (_request: IncomingMessage, response: ServerResponse) => {
      response.end(page);
      return fail();
    };
    const served = await serve({ notFound });
    const text = await got(served);
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(page.length);
    expect(served.warnings).toMatchObject([
      {
        code: 'callback-failed',
        message: expect.stringContaining('after it had responded'),
        cause: { message: 'broken' },
      },
    ]);
    expect(served.warnings[0]?.message).not.toContain('500');
  },
);

it('a write after the end of the response is passed to onWarning, and the response arrives', async () => {
  const notFound = (_request: IncomingMessage, response: ServerResponse): void => {
    response.end('ok');
    response.write('more');
    response.write('and more');
  };
  const served = await serve({ notFound });
  expect(await got(served)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*ok$/);
  const warning = {
    code: 'callback-failed',
    message: expect.stringContaining('after it had responded'),
    cause: { code: 'ERR_STREAM_WRITE_AFTER_END' },
  };
  expect(served.warnings).toMatchObject([warning, warning]);
  expect(await serves(served)).toBe(200);
});

it.each([
  ['response', 'at once', failing],
  ['request', 'at once', failing],
  ['response', 'later', async () => failing()],
  ['request', 'later', async () => failing()],
] as const)(
  'if a handler destroys the %s and fails %s, the warning says that the connection had closed',
  async (which, _when, fail) => {
    const notFound = (request: IncomingMessage, response: ServerResponse) => {
      ({ request, response })[which].destroy();
      return fail();
    };
    const served = await serve({ notFound });
    expect(await got(served)).toBe('');
    expect(served.warnings).toMatchObject([
      {
        code: 'callback-failed',
        message: expect.stringContaining('after its connection had closed'),
        cause: { message: 'broken' },
      },
    ]);
    expect(await serves(served)).toBe(200);
  },
);
