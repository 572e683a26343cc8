/** Errors of middleware that say when to try again have the HTTP status and header for it, in both lifecycles. */
import { rpcError } from 'tenon';
import type { Middleware } from 'tenon/server';
import { expect, it } from 'vitest';
import { call, loneCall, startSession } from '../../../kit/http/messages.ts';
import { send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

it.each([
  ['rate-limited', 429],
  ['overloaded', 503],
] as const)('%s with retryAfterMs is %i with Retry-After, with and without a session [S24]', async (reason, status) => {
  const refuse: Middleware = () => {
    throw rpcError(reason, 'Not now', { retryAfterMs: 2500 });
  };
  const { url } = await serve({}, { middleware: [refuse] });
  const session = await startSession(url, '2025-11-25');
  const answers = [await send(url, loneCall('echo', { text: 'x' })), await session.post(call('echo', { text: 'x' }))];
  for (const answer of answers)
    expect(answer).toMatchObject({
      status,
      headers: { 'retry-after': '3' },
      json: { id: 1, error: { message: 'Not now' } },
    });
});

it('an error without a time has no Retry-After, and is a 200 in a session', async () => {
  const refuse: Middleware = () => {
    throw rpcError('rate-limited', 'Not now');
  };
  const { url } = await serve({}, { middleware: [refuse] });
  const session = await startSession(url, '2025-11-25');
  const answers = [await send(url, loneCall('echo', { text: 'x' })), await session.post(call('echo', { text: 'x' }))];
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, undefined],
    [200, undefined],
  ]);
});
