/** A server that answers on a stream and never closes it leaves no timer in the client. */
import { connect } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { event, scripted, stream, textResult } from '../../kit/http/scripted-server.ts';
import { isSession } from '../../kit/version-order.ts';

it.each(protocolVersions)('no timer is left when the client is closed at %s', async (revision) => {
  const clock = createFakeClock();
  const result = { ...textResult('streamed'), ...(!isSession(revision) && { resultType: 'complete' }) };
  const server = await scripted(({ message, response }) => {
    if (message.method !== 'tools/call') return false;
    return stream(response, event({ id: message.id as number, result }));
  });
  const client = await connect(server.url, { protocolVersions: [revision], ...withClock(clock) });
  expect(await client.tools.call('say')).toMatchObject(textResult('streamed'));
  await client.close();
  expect(clock.pending).toBe(0);
});
