import { protocolVersions } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';

it.each(protocolVersions)(
  'at %s progress restarts the timeout of a call, but not its total timeout [e-cancel-10, s-lifecycle-29]',
  async (revision) => {
    const clock = createFakeClock();
    const progressed: number[] = [];
    let token: unknown;
    const { client, send } = scriptedAt(
      revision,
      { tools: {} },
      ({ params }) => {
        token = ((params as Json)._meta as Json).progressToken;
        notify(1);
        return undefined;
      },
      { ...withClock(clock), timeoutMs: 100, timeouts: { maxTotalMs: 250 } },
    );
    const notify = (progress: number): void =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress } });
    const connected = await client;
    const failure = await new Promise((resolve) => {
      const onProgress = ({ progress }: { progress: number }): void => {
        progressed.push(progress);
        clock.advance(30);
        if (clock.now() < 250) notify(progress + 1);
      };
      connected.tools.call('work', {}, { onProgress }).catch(resolve);
    });
    expect(failure).toMatchObject({ code: 'timeout' });
    expect(progressed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await connected.close();
  },
);
