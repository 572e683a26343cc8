/** The timeout of connecting as a whole: opening the transport, discovery and handshake. */

import { connect } from 'tenon';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { simulateServer, still } from '../../kit/client/simulated-server.ts';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { scripted as scriptedHttp } from '../../kit/http/scripted-server.ts';

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'done',
    (error) => error,
  );

/** A server behind a memory transport that reads messages and never answers. */
function silent() {
  const [here, there] = createMemoryTransports();
  const requested = new Map(['server/discover', 'initialize'].map((method) => [method, deferred()]));
  there.open({ onMessage: (text) => requested.get(JSON.parse(text).method)?.resolve(), onClose: () => {} });
  return { here, received: (method: string) => requested.get(method)?.promise };
}

describe('Connecting to a server that never answers', () => {
  it('takes no longer than timeoutMs in memory, and leaves half of it for the handshake', async () => {
    const clock = createFakeClock();
    const { here, received } = silent();
    const connecting = failure(connect(here, { timeoutMs: 4000, ...withClock(clock) }));
    await received('server/discover');
    clock.advance(2000);
    await received('initialize');
    clock.advance(2000);
    expect(await connecting).toMatchObject({
      code: 'timeout',
      message: 'initialize had no answer within 4000 ms of connecting.',
      details: { method: 'initialize', timeoutMs: 4000 },
    });
    expect(clock.now()).toBe(4000);
  });

  it('takes no longer than timeoutMs over HTTP, and leaves half of it for the handshake', async () => {
    const clock = createFakeClock();
    const server = await scriptedHttp(() => {});
    const options = { timeoutMs: 4000, ...withClock(clock), reconnect: false };
    const connecting = failure(connect(server.url, options));
    await server.until(({ message }) => message.method === 'server/discover');
    clock.advance(2000);
    await server.until(({ message }) => message.method === 'initialize');
    clock.advance(2000);
    expect(await connecting).toMatchObject({ code: 'timeout', details: { url: server.url } });
  });

  it('leaves half of the time for the handshake even if the time for discovery is all of it', async () => {
    const clock = createFakeClock();
    const { here, received } = silent();
    const options = { timeoutMs: 4000, timeouts: withFixed({}, { discoveryMs: 4000 }), ...withClock(clock) };
    const connecting = failure(connect(here, options));
    await received('server/discover');
    clock.advance(2000);
    await received('initialize');
    clock.advance(2000);
    expect(await connecting).toMatchObject({ code: 'timeout' });
  });

  it('includes the time to open the transport', async () => {
    const world = simulateServer({ revision: '2025-11-25' });
    world.mode = 'slow';
    const client = world.client({ timeoutMs: 4000, reconnect: false });
    const connecting = failure(client.connection.ready());
    await still();
    world.clock.advance(3000);
    world.mode = 'mute';
    for (const proceed of world.slow) proceed();
    await still();
    world.clock.advance(999);
    await still();
    expect(client.connection.state).toBe('connecting');
    world.clock.advance(1);
    expect(await connecting).toMatchObject({ code: 'timeout' });
    await client.close();
  });
});
