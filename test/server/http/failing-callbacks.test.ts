/** Callbacks that fail: the request gets 500, onWarning gets the reason, and the process does not crash. */

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

/** Requests of every verb. */
const requests = [
  { body: initialize(newest) },
  lone('tools/list'),
  { method: 'GET', headers: { accept: 'text/event-stream' } },
  { method: 'DELETE' },
];

describe('a callback that fails', () => {
  it.each([
    ['authenticate', { authenticate: broken }],
    ['async authenticate', { authenticate: async () => broken() }],
  ])('(%s) fails every request with 500 and calls onWarning', async (_name, options) => {
    for (const sent of requests) {
      const { url, warnings } = await serve(options);
      expect((await send(url, sent)).status).toBe(500);
      expect(warnings).toMatchObject(failed);
    }
    const { url, warnings } = await serve(options);
    expect((await send(url.replace('/mcp', '/sse'), { method: 'GET' })).status).toBe(500);
    expect((await send(url.replace('/mcp', '/messages?session=x'), { body: request('ping') })).status).toBe(500);
    expect(warnings).toMatchObject([...failed, ...failed]);
  });

  it.each([
    ['throws', broken],
    ['rejects', async () => broken()],
  ])(
    '(authenticate of a fetch handler that %s) fails the request with 500 and calls onWarning',
    async (_how, authenticate) => {
      const warnings: Error[] = [];
      const handle = toFetchHandler(sampleServer().server, {
        authenticate,
        onWarning: (error) => warnings.push(error),
      });
      const response = await handle(new Request('http://localhost/mcp', { method: 'DELETE' }));
      expect(response.status).toBe(500);
      expect(warnings).toMatchObject(failed);
    },
  );

  it('(onWarning or logger) does not change the response', async () => {
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
    ['a line break', { challenge: 'Bearer x\r\nX-Evil: 1' }],
    ['characters that are illegal in headers', { challenge: 'Bearer realm="€"' }],
    ['an invalid status', { challenge: 'Bearer', status: 99 as 401 }],
  ])('with %s gets 500, is not sent, and onWarning is called', async (_name, refusal) => {
    const { url, warnings } = await serve({ authenticate: () => refusal });
    const answer = await send(url, { body: request('ping') });
    expect(answer.status).toBe(500);
    expect(answer.headers).not.toHaveProperty('x-evil');
    expect(warnings).toMatchObject([{ code: 'callback-failed' }]);
    const handle = toFetchHandler(sampleServer().server, { authenticate: () => refusal });
    expect((await handle(new Request('http://localhost/mcp', { method: 'DELETE' }))).status).toBe(500);
  });
});

it('authenticate can return a promise of another realm', async () => {
  const authenticate: Authenticate = () => runInNewContext("Promise.resolve('https://issuer ada')");
  const { url } = await serve({ authenticate });
  expect((await withTimeout(send(url, { body: initialize(newest) }), 'the answer')).status).toBe(200);
});
