/** An HTTP server under attack: thousands of hostile requests, and abandoned sessions. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alone, call, initialize, lone, loneCall, notification, request } from '../../kit/http/messages.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { createHostileLines, createRandom } from '../../kit/process/hostile-lines.ts';
import { endAll } from '../../kit/process/raw-process.ts';
import { type RawRequest, type Received, startMeasured } from './measured.ts';

afterEach(endAll);

const rawRequest = ({
  headers,
  body,
}: {
  readonly headers: RawRequest['headers'];
  readonly body: unknown;
}): RawRequest => ({
  headers,
  body: JSON.stringify(body),
});
const right = (n: number): RawRequest => rawRequest(loneCall('echo', { text: `text ${n} ☃` }, {}, n));
const changed = (raw: RawRequest, headers: RawRequest['headers']): RawRequest => ({
  ...raw,
  headers: { ...raw.headers, ...headers },
});
const giant = Buffer.alloc(4 * 1024 * 1024 + 1, 'x');
const session = { 'mcp-session-id': 'x'.repeat(32) };

/** Each request, and the status it has to get. */
const kinds: ReadonlyArray<(n: number) => readonly [RawRequest, number]> = [
  (n) => [{ ...right(n), body: right(n).body.slice(0, n % 150) }, 400],
  (n) => [changed(right(n), { 'mcp-name': `echo${n}` }), 400],
  (n) => [changed(right(n), { 'mcp-method': undefined }), 400],
  (n) => [changed(right(n), { 'mcp-protocol-version': '2025-11-25' }), 400],
  (n) => [changed(right(n), { 'mcp-protocol-version': `2099-01-${n}` }), 400],
  (n) => [rawRequest(loneCall('headed', { tenant: `t${n}` })), 400],
  (n) => [changed(rawRequest(loneCall('headed', { tenant: `t${n}` })), { 'mcp-param-tenant': '=?base64?****?=' }), 400],
  (n) => [rawRequest(lone(`nothing/${n}`)), 404],
  (n) => [rawRequest(lone('tools/call', { name: `none-${n}` })), 200],
  (n) => [rawRequest(lone('tools/call', { name: 'echo', arguments: [n] })), 400],
  (n) => [changed(right(n), { 'content-type': 'text/plain' }), 415],
  (n) => [changed(right(n), { accept: 'text/html' }), 406],
  (n) => [changed(right(n), { origin: `https://evil-${n}.example` }), 403],
  (n) => [changed(right(n), { host: `evil-${n}.example` }), 403],
  (n) => [changed({ headers: {}, body: JSON.stringify(call('echo', { text: 'x' }, n)) }, session), 404],
  (n) => [
    {
      headers: { accept: 'application/json, text/event-stream' },
      body: JSON.stringify(call('echo', { text: 'x' }, n)),
    },
    400,
  ],
  // A client of the founding documents: it sends neither `Accept` nor a protocol version.
  (n) => [{ headers: {}, body: JSON.stringify([call('echo', { text: 'x' }, n)]) }, 200],
  () => [{ method: 'GET', headers: { ...session, accept: 'text/event-stream' }, body: '' }, 404],
  () => [{ method: 'DELETE', headers: session, body: '' }, 404],
  () => [{ method: 'PATCH', headers: {}, body: '' }, 405],
  () => [{ headers: {}, body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) }, 400],
  (n) => [{ ...rawRequest(loneCall('stuck', {}, { progressToken: n })), disconnects: true }, 200],
  (n) => [{ ...rawRequest(lone('subscriptions/listen', { notifications: {} }, {}, n)), disconnects: true }, 200],
  (n) => [{ headers: { 'mcp-protocol-version': alone }, body: `{"jsonrpc":"2.0","id":${n},"result":{}}` }, 400],
];

const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

/** Bytes that are not HTTP or can be read as two requests, and the status each has to get. */
const smuggled: ReadonlyArray<readonly [string, number]> = [
  [`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  [`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
  [`${head}transfer-encoding: xchunked\r\n\r\n{}`, 400],
  [`${head}content-length: -1\r\n\r\n`, 400],
  [`${head}mcp-name: a\nmcp-method: b\r\n\r\n`, 400],
  [`${head}mcp-name : a\r\n\r\n`, 400],
  [`${head}mcp-name: \u0000\r\n\r\n`, 400],
  ['POST /mcp HTTP/1.1\r\ncontent-length: 0\r\n\r\n', 400],
  [`${head}x: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ['\u0016\u0003\u0001\u0002', 400],
  ['GET / HTTP/9.9\r\n\r\n', 400],
];

const words = {
  messages: [
    (n: number) => loneCall('echo', { text: 'grüße ☃' }, {}, `bad-${n}`).body,
    (n: number) => call('echo', { text: '🎉' }, n),
    (n: number) => lone('tools/list', { cursor: 'x' }, {}, n).body,
    () => notification('notifications/initialized'),
    (n: number) => lone('subscriptions/listen', { notifications: n }, {}, n).body,
  ],
  ids: (n: number) => [n, `bad-${n}`, null, -1, 1.5, {}][n % 6],
};

/** Runs `next` for each number, `width` of them at a time. */
async function volley(count: number, next: (n: number) => Promise<void>, width = 16): Promise<void> {
  let n = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (n < count) await next(n++);
    }),
  );
}

describe('a server under attack', () => {
  const count = scaled(1000, 10_000);

  it(`survives ${inWords(count)} hostile requests, gives each the right status, answers valid ones, and leaks no memory`, async () => {
    const server = await startMeasured();
    const hostile = createHostileLines(7, words);
    const random = createRandom(11);
    const wrong: unknown[] = [];
    const expectStatus = (raw: unknown, received: Received, status: number): void => {
      if (received.status !== status) wrong.push([raw, received.status, status, received.text.slice(0, 200)]);
    };
    const fire = async (n: number): Promise<void> => {
      const chance = random();
      if (chance < 0.1) {
        const received = await server.send(right(n));
        expectStatus(n, received, 200);
        if (!received.text.includes(`text ${n} ☃`)) wrong.push(['not answered', n, received.text]);
      } else if (chance < 0.35) {
        const body = hostile();
        const headers = { 'mcp-protocol-version': alone, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
        const seen = await server.send({ headers, body });
        if (![200, 202, 400, 404].includes(seen.status)) wrong.push([body.toString(), seen]);
      } else if (chance < 0.4) {
        const [bytes, status] = smuggled[n % smuggled.length] as readonly [string, number];
        const arrived = await server.write(bytes);
        if (!arrived.startsWith(`HTTP/1.1 ${status} `)) wrong.push([bytes.slice(0, 200), arrived.slice(0, 200)]);
      } else if (chance < 0.43) {
        await server.write(`${head}content-length: 1000\r\n\r\n{"jsonrpc":"2.0",`, true);
      } else if (chance < 0.433) {
        const response = await server.write(`${head}content-length: ${giant.length}\r\n\r\n${giant}`);
        if (!response.startsWith('HTTP/1.1 413 ')) wrong.push(['giant', response.slice(0, 200)]);
      } else {
        const [raw, status] = (kinds[n % kinds.length] as (typeof kinds)[number])(n);
        expectStatus(raw, await server.send(raw), status);
      }
    };
    await volley(1500, fire);
    const before = await server.measure();
    await volley(count, fire);
    await vi.waitFor(
      async () => expect(await server.measure()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }),
      {
        timeout: 60_000,
      },
    );
    const after = await server.measure();
    console.log(`Heap before ${Math.round(before.heap / 1024)} kB, after ${Math.round(after.heap / 1024)} kB.`);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(after.heap).toBeLessThan(before.heap * 1.1);
    expect((await server.send(right(1))).status).toBe(200);
    server.end();
  });
});

describe('abandoned sessions', () => {
  const count = scaled(500, 2000);

  it(`expire and leave no memory behind: ${inWords(count)} of them, with calls and open streams [S37]`, async () => {
    const server = await startMeasured();
    const abandon = async (n: number): Promise<void> => {
      const { headers } = await server.send({ headers: {}, body: JSON.stringify(initialize('2025-11-25')) });
      const named = { 'mcp-session-id': String(headers['mcp-session-id']) };
      const post = (body: unknown, more: Partial<RawRequest> = {}): Promise<Received> =>
        server.send({ headers: named, body: JSON.stringify(body), ...more });
      await post(notification('notifications/initialized'));
      await post(call('echo', { text: `text ${n}` }));
      await post(request('ping', undefined, 2));
      if (n % 10 === 0)
        await server.send({
          method: 'GET',
          headers: { ...named, accept: 'text/event-stream' },
          body: '',
          disconnects: true,
        });
      // A call runs on after its client disconnects, and its session lives until the call is cancelled.
      if (n % 10 === 5) {
        await post(call('stuck', {}, 3, { progressToken: 1 }), { disconnects: true });
        await post(notification('notifications/cancelled', { requestId: 3 }));
      }
    };
    const expired = async (): Promise<void> => {
      await server.measure('later');
      const nothing = { sessions: 0, streams: 0, activeCalls: 0 };
      await vi.waitFor(async () => expect(await server.measure()).toMatchObject(nothing), { timeout: 60_000 });
    };
    await volley(250, abandon);
    await expired();
    const before = await server.measure();
    await volley(count, abandon);
    const during = await server.measure();
    await expired();
    const after = await server.measure();
    expect(during.sessions).toBe(count);
    const each = Math.round((during.heap - before.heap) / during.sessions);
    console.log(
      `${during.sessions} sessions live with ${each} bytes each; heap ${before.heap} before, ${after.heap} after.`,
    );
    expect(after.heap).toBeLessThan(before.heap * 1.1);
    server.end();
  });
});
