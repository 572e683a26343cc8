/** Progress of a call that is sent again: no value is reported twice. */
import { toText } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import type { Json } from '../../kit/client/manual-transport.ts';
import { type ManualTransport } from '../../kit/client/manual-transport.ts';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';

it.each(protocolVersions)('at %s progress never goes back, however often the call is sent', async (revision) => {
  const complete = revision === '2026-07-28' && { resultType: 'complete' };
  const sendProgress = (wire: ManualTransport, progressToken: unknown, progress: number): void =>
    wire.write({ method: 'notifications/progress', params: { progressToken, progress } });
  let sent = 0;
  const received = (wire: ManualTransport, { id, method, params }: Json): void => {
    if (method !== 'tools/call') return;
    const { progressToken } = (params as { _meta: Json })._meta;
    const first = ++sent === 1;
    queueMicrotask(() => {
      for (const progress of first ? [1, 2, 3] : [1, 2, 3, 4]) sendProgress(wire, progressToken, progress);
      if (first) return wire.close();
      wire.answer(id as number, { result: { content: [{ type: 'text', text: 'done' }], ...complete } });
    });
  };
  const world = simulateServer({ revision, received });
  const client = world.client();
  const reported: number[] = [];
  const call = client.tools.call('a', {}, { retryable: true, onProgress: ({ progress }) => reported.push(progress) });
  for (let turns = 0; turns < 5; turns++) {
    await still();
    world.clock.advance(30_000);
  }
  expect(toText(await call)).toBe('done');
  expect(reported).toEqual([1, 2, 3, 4]);
  await client.close({ timeoutMs: 1 });
});
