/** Calls that wait for a Retry-After to pass while their client closes. */

import { connect } from 'tenon';
import { expect, it } from 'vitest';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { alone, refuse, scripted } from '../../kit/http/scripted-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

it('a call that waits for Retry-After gets the error of the server when its client closes, and leaves no timer', async () => {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const paused = deferred();
  const add = deadlines.add.bind(deadlines);
  deadlines.add = (ms, run, holds) => {
    if (ms === 12_000) paused.resolve();
    return add(ms, run, holds);
  };
  const { url } = await scripted(
    ({ message, response }) =>
      message.method === 'tools/list' && (refuse(response, 503, undefined, { 'retry-after': '12' }) ?? true),
  );
  const client = await connect(url, { protocolVersions: [alone], ...withDeadlines(deadlines), reconnect: false });
  const failure = client.tools
    .list()
    .all()
    .then(String, (error) => error);
  await withTimeout(paused.promise, 'the pause');
  await withTimeout(client.close(), 'the client to close');
  expect(await withTimeout(failure, 'the call to reject')).toMatchObject({
    code: 'server-unavailable',
    details: { retryAfterMs: 12_000 },
  });
  expect(clock.pending).toBe(0);
});
