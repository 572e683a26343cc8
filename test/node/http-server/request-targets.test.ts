/** Requests with a target or head that no HTTP client writes: each gets a status, and the server continues. */
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall, request } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { type Served, serve } from '../../kit/http/sample-server.ts';

const statusOf = (text: string): string | undefined => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];

const closing = { connection: 'close' };

async function answered(served: Served, bytes: string): Promise<string> {
  const { socket, received } = dial(served);
  socket.write(bytes);
  return received;
}

const serves = async ({ url }: Served): Promise<number> => (await send(url, loneCall('echo', { text: 'x' }))).status;

/** A logger that stores its lines. */
function recordingLogger() {
  const lines: object[] = [];
  const write = (fields: object, message: string): void => void lines.push({ ...fields, message });
  return { lines, logger: { debug: write, info: write, warn: write, error: write } };
}

const failing = (): void => {
  throw new Error('broken');
};

describe('a request target', () => {
  it.each(['//', '//a:b', '//x:99999/', '/\\[', 'http://[', '/%', '/sse/%zz', '*', '/messages?%'])(
    'of %s gets 404, and the server continues',
    async (target) => {
      const served = await serve();
      for (const method of ['GET', 'POST']) {
        const head = written({ method, headers: closing, body: method === 'POST' ? '{}' : undefined }, target);
        expect(statusOf(await answered(served, head))).toBe('404');
      }
      expect(served.warnings).toEqual([]);
      expect(await serves(served)).toBe(200);
    },
  );

  it.each([
    ['at once', failing],
    ['later', async () => failing()],
  ])('for which the notFound handler fails %s gets 500, and onWarning gets the reason', async (_when, notFound) => {
    const served = await serve({ notFound });
    expect(statusOf(await answered(served, written({ method: 'GET', headers: closing }, '/x')))).toBe('500');
    expect(served.warnings).toMatchObject([{ code: 'callback-failed', cause: { message: 'broken' } }]);
    expect(await serves(served)).toBe(200);
  });
});

describe('a head', () => {
  it.each([
    ['the allowed one first', 'localhost', 'evil.example'],
    ['the other one first', 'evil.example', 'localhost'],
    ['the same twice', 'localhost', 'localhost'],
  ])('with two hosts, %s, gets 400', async (_order, first, second) => {
    for (const served of [await serve(), await serve({ allowedHosts: '*' })]) {
      const { headers, body } = loneCall('echo', { text: 'x' });
      const bytes = written({ headers: { host: first, Host: second, ...headers, ...closing }, body });
      expect(statusOf(await answered(served, bytes))).toBe('400');
      expect(await serves(served)).toBe(200);
    }
  });

  it.each([
    ['another one first', 'Bearer eve', 'Bearer ada'],
    ['another one last', 'Bearer ada', 'Bearer eve'],
    ['the same twice', 'Bearer ada', 'Bearer ada'],
  ])('with two credentials, %s, gets 401: a proxy may have checked the other one', async (_order, first, second) => {
    const subjects: Readonly<Record<string, string>> = { 'Bearer ada': 'ada', 'Bearer eve': 'eve' };
    const served = await serve({ authenticate: ({ header }) => subjects[header('authorization') ?? ''] });
    const { headers, body } = loneCall('echo', { text: 'x' });
    const head = (more: Readonly<Record<string, string>>): string =>
      written({ headers: { host: 'localhost', ...headers, ...more, ...closing }, body });
    expect(statusOf(await answered(served, head({ authorization: first, Authorization: second })))).toBe('401');
    expect(statusOf(await answered(served, head({ authorization: first })))).toBe('200');
  });

  it.each(['gzip', 'br', 'identity, gzip'])(
    'with a body in %s gets 415 with the accepted encoding',
    async (encoding) => {
      const { url } = await serve();
      const { headers, body } = loneCall('echo', { text: 'x' });
      const answer = await send(url, { headers: { ...headers, 'content-encoding': encoding }, body });
      expect(answer).toMatchObject({ status: 415, headers: { 'accept-encoding': 'identity' } });
      expect((await send(url, { headers: { ...headers, 'content-encoding': 'identity' }, body })).status).toBe(200);
    },
  );

  it.each([
    ['is too long', `GET /mcp HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 60_000],
    ['is not HTTP', 'nonsense\r\n\r\n', 400, 60_000],
    ['never ends', 'GET /mcp HTTP/1.1\r\nhost: ', 408, 500],
  ])('that %s is refused and logged', async (_what, bytes, status, headersMs) => {
    const { lines, logger } = recordingLogger();
    const served = await serve({ logger, timeouts: withFixed({ requestMs: 60_000 }, { headersMs }) });
    expect(statusOf(await answered(served, bytes))).toBe(String(status));
    expect(lines).toEqual([{ status, message: 'request refused' }]);
    // On a busy machine a request of ours may take longer than headersMs as well.
    await expect.poll(() => serves(served)).toBe(200);
  });
});

describe('a body', () => {
  const noPrincipal = { authenticate: () => undefined };
  const endless = (headers: Record<string, string>): string =>
    written({ headers: { ...headers, ...closing } }).replace('content-length: 0', 'content-length: 99000000');

  it.each([
    ['of an unsupported type', {}, { 'content-type': 'text/plain' }, '415'],
    ['from another origin', {}, { origin: 'https://evil.example' }, '403'],
    ['without a principal', noPrincipal, {}, '401'],
    ['that is too large', {}, {}, '413'],
  ])('%s is refused before any of it arrives, without 100 Continue', async (_what, options, headers, status) => {
    const served = await serve(options);
    for (const expecting of [{}, { expect: '100-continue' }]) {
      const { socket, until, text } = dial(served);
      socket.write(endless({ ...headers, ...expecting } as Record<string, string>));
      await until(/^HTTP\/1\.1 \d+ /);
      expect(statusOf(text())).toBe(status);
    }
  });

  it('that is accepted is sent after 100 Continue, and the connection stays open', async () => {
    const served = await serve();
    const { socket, until, text } = dial(served);
    const { headers, body } = loneCall('echo', { text: 'continued' });
    const [head, rest] = written({ headers: { ...headers, expect: '100-continue' }, body }).split('\r\n\r\n');
    socket.write(`${head}\r\n\r\n`);
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write(rest as string);
    await until(/HTTP\/1\.1 200 OK[^]*continued/);
    expect(text()).not.toMatch(/connection: close/i);
    socket.write(written(loneCall('echo', { text: 'again' })));
    await until(/again/);
  });

  it('of HTTP+SSE is refused before it arrives as well', async () => {
    const served = await serve(noPrincipal);
    const { socket, until } = dial(served);
    socket.write(endless({}).replace('/mcp', '/messages?session=x'));
    await until(/^HTTP\/1\.1 401 /);
    expect((await send(served.url, { body: request('ping') })).status).toBe(401);
  });
});
