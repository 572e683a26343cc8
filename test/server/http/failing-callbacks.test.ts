/** Functions of the author that fail: each fails one request, with 500 and a fault that says why, never the process. */

import { runInNewContext } from 'node:vm';
import { toFetchHandler } from 'tenon';
import type { Authenticate } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { initialize, lone, request } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const newest = '2025-11-25';
const broken = (): never => {
  throw new Error('broken');
};
const failed = [{ code: 'callback-failed', cause: { message: 'broken' } }];

/** Whatever verb and path a request has. */
const requests = [
  { body: initialize(newest) },
  lone('tools/list'),
  { method: 'GET', headers: { accept: 'text/event-stream' } },
  { method: 'DELETE' },
];

describe('a port that fails', () => {
  it.each([
    ['authenticate', { authenticate: broken }],
    ['authenticate, later', { authenticate: async () => broken() }],
  ])('as %s refuses with 500 and is told, whatever is asked', async (_port, options) => {
    for (const sent of requests) {
      const { url, faults } = await serve(options);
      expect((await send(url, sent)).status).toBe(500);
      expect(faults).toMatchObject(failed);
    }
    const { url, faults } = await serve(options);
    expect((await send(url.replace('/mcp', '/sse'), { method: 'GET' })).status).toBe(500);
    expect((await send(url.replace('/mcp', '/messages?session=x'), { body: request('ping') })).status).toBe(500);
    expect(faults).toMatchObject([...failed, ...failed]);
  });

  it.each([
    ['at once', broken],
    ['later', async () => broken()],
  ])('as authenticate of a fetch handler, %s, refuses with 500 and is told', async (_when, authenticate) => {
    const faults: Error[] = [];
    const handle = toFetchHandler(sampleServer().server, { authenticate, onWarning: (error) => faults.push(error) });
    const response = await handle(new Request('http://localhost/mcp', { method: 'DELETE' }));
    expect(response.status).toBe(500);
    expect(faults).toMatchObject(failed);
  });

  it('as onWarning or logger leaves the answer as it is', async () => {
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    for (const options of [
      { onWarning: broken },
      { onWarning: async () => broken() },
      { logger },
      { onWarning: broken, logger },
    ]) {
      const { url } = await serve({ authenticate: broken, ...options });
      expect((await send(url, { body: request('ping') })).status).toBe(500);
      expect((await send(url.replace('/mcp', '/sse'), { method: 'GET' })).status).toBe(500);
    }
  });
});

describe('a challenge', () => {
  it.each([
    ['the end of a line', { challenge: 'Bearer x\r\nX-Evil: 1' }],
    ['letters that no header has', { challenge: 'Bearer realm="€"' }],
    ['a status that is none of its own', { challenge: 'Bearer', status: 99 as 401 }],
  ])('with %s is 500 and told, and nothing of it is sent', async (_what, refusal) => {
    const { url, faults } = await serve({ authenticate: () => refusal });
    const answer = await send(url, { body: request('ping') });
    expect(answer.status).toBe(500);
    expect(answer.headers).not.toHaveProperty('x-evil');
    expect(faults).toMatchObject([{ code: 'callback-failed' }]);
    const handle = toFetchHandler(sampleServer().server, { authenticate: () => refusal });
    expect((await handle(new Request('http://localhost/mcp', { method: 'DELETE' }))).status).toBe(500);
  });
});

it('a sender may be found out by a promise of another realm', async () => {
  const authenticate: Authenticate = () => runInNewContext("Promise.resolve('https://issuer ada')");
  const { url } = await serve({ authenticate });
  expect((await withTimeout(send(url, { body: initialize(newest) }), 'the answer')).status).toBe(200);
});
