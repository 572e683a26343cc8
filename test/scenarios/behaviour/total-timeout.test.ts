import { protocolVersions } from 'tenon';
import { expect, it } from 'vitest';
import { withClock } from '../../../src/client/api/internal-deadlines.ts';
import { createFakeClock } from '../../../src/jsonrpc/fake-clock.ts';
import type { Json } from '../../kit/channel/raw-connection.ts';
import { scriptedAt } from '../../kit/channel/scripted-server.ts';

it.each(protocolVersions)(
  'at %s progress begins the time of a call anew, and all of its time is over when it is over [e-cancel-10, s-lifecycle-29]',
  async (revision) => {
    const clock = createFakeClock();
    const told: number[] = [];
    let token: unknown;
    const { client, say } = scriptedAt(
      revision,
      { tools: {} },
      ({ params }) => {
        token = ((params as Json)._meta as Json).progressToken;
        tell(1);
        return undefined;
      },
      { ...withClock(clock), timeoutMs: 100, timeouts: { maxTotalMs: 250 } },
    );
    const tell = (progress: number): void =>
      say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress } });
    const asking = await client;
    const failure = await new Promise((resolve) => {
      const onProgress = ({ progress }: { progress: number }): void => {
        told.push(progress);
        clock.advance(30);
        if (clock.now() < 250) tell(progress + 1);
      };
      asking.tools.call('work', {}, { onProgress }).catch(resolve);
    });
    expect(failure).toMatchObject({ code: 'timeout' });
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await asking.close();
  },
);
