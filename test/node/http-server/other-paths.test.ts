/** Handlers for other paths that fail: no request ends the process by them, and what they have answered arrives. */
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

it('words of a status that cannot be written are 500, and not the words of that', async () => {
  const otherwise = (request: IncomingMessage, response: ServerResponse): void => {
    response.statusCode = 404;
    response.statusMessage = `No ${decodeURIComponent(request.url ?? '')}`;
    response.end();
  };
  const served = await serve({ notFound: otherwise });
  expect(await got(served, '/caf%0A')).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
  expect(served.faults).toMatchObject([
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
])('a response that cannot be written at all ends its connection, when its handler fails %s', async (_when, fail) => {
  const otherwise = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead = failing;
    return fail();
  };
  const served = await serve({ notFound: otherwise });
  expect(await got(served)).toBe('');
  expect(served.faults).toMatchObject([
    {
      code: 'callback-failed',
      message: expect.stringContaining('connection was closed'),
      cause: { message: 'broken' },
    },
  ]);
  expect(await serves(served)).toBe(200);
});

it('an answer that has begun when its handler fails is cut, and told so', async () => {
  const otherwise = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('some');
    failing();
  };
  const served = await serve({ notFound: otherwise });
  await got(served);
  expect(served.faults).toMatchObject([{ message: expect.stringContaining('connection was closed') }]);
  expect(await serves(served)).toBe(200);
});

it.each([
  ['at once', failing],
  ['later', async () => failing()],
])(
  'an answer that was given before its handler failed %s arrives whole, and nobody is told of a 500',
  async (_when, fail) => {
    const page = 'x'.repeat(5_000_000);
    const otherwise = (_request: IncomingMessage, response: ServerResponse) => {
      response.end(page);
      return fail();
    };
    const served = await serve({ notFound: otherwise });
    const text = await got(served);
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(page.length);
    expect(served.faults).toMatchObject([
      {
        code: 'callback-failed',
        message: expect.stringContaining('after it had responded'),
        cause: { message: 'broken' },
      },
    ]);
    expect(served.faults[0]?.message).not.toContain('500');
  },
);

it('what a handler writes after its answer is told as a fault, and the answer arrives', async () => {
  const otherwise = (_request: IncomingMessage, response: ServerResponse): void => {
    response.end('ok');
    response.write('more');
    response.write('and more');
  };
  const served = await serve({ notFound: otherwise });
  expect(await got(served)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*ok$/);
  const fault = {
    code: 'callback-failed',
    message: expect.stringContaining('after it had responded'),
    cause: { code: 'ERR_STREAM_WRITE_AFTER_END' },
  };
  expect(served.faults).toMatchObject([fault, fault]);
  expect(await serves(served)).toBe(200);
});

it.each([
  ['response', 'at once', failing],
  ['request', 'at once', failing],
  ['response', 'later', async () => failing()],
  ['request', 'later', async () => failing()],
] as const)(
  'a handler that destroys the %s and fails %s has answered nothing, and so it is told',
  async (which, _when, fail) => {
    const otherwise = (request: IncomingMessage, response: ServerResponse) => {
      ({ request, response })[which].destroy();
      return fail();
    };
    const served = await serve({ notFound: otherwise });
    expect(await got(served)).toBe('');
    expect(served.faults).toMatchObject([
      {
        code: 'callback-failed',
        message: expect.stringContaining('after its connection had closed'),
        cause: { message: 'broken' },
      },
    ]);
    expect(await serves(served)).toBe(200);
  },
);
