import { connect, createServer, tool } from 'tenon';
import type { TapEvent } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { openAt, refused, request } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const makeServer = () =>
  createServer({ name: 's', version: '1', tools: { wait: tool({}, () => new Promise<string>(() => {})) } });

describe.each(sessionVersions)('ping in a session at %s', (revision) => {
  it('is answered by the server at once with an empty result, also while calls wait [s-ping-01]', async () => {
    const { ask, send, settled } = await openAt(makeServer(), revision);
    send(ask(1, 'tools/call', { name: 'wait' }));
    send(request(2, 'ping'));
    send(request('three', 'ping', { _meta: { 'acme/a': 1 } }));
    expect(await settled()).toEqual([
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 'three', result: {} },
    ]);
    const client = await connect(makeServer(), { protocolVersions: [revision] });
    await expect(client.ping()).resolves.toBeUndefined();
  });

  it('is answered by the client at once with an empty result [s-ping-01]', async () => {
    const { client, received } = scriptedAt(revision, { tools: {} }, (_message, send) => {
      send(request(0, 'ping'));
      send(request('p', 'ping', {}));
      return { content: [] };
    });
    const { tools } = await client;
    await tools.call('x');
    await tools.call('y');
    expect(received.filter(({ method }) => method === undefined).slice(0, 2)).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 'p', result: {} },
    ]);
  });

  it('times out where the other side does not answer', async () => {
    const clock = createFakeClock();
    const arrived = deferred();
    const { client } = scriptedAt(
      revision,
      {},
      () => {
        arrived.resolve();
        return undefined;
      },
      { ...withClock(clock) },
    );
    const failure = (await client).ping({ timeoutMs: 5 }).catch((error) => error);
    await arrived.promise;
    clock.advance(5);
    expect(await failure).toMatchObject({ code: 'timeout' });
  });
});

describe('ping in exchanges', () => {
  it('is an unknown method of a server; a client asks for discovery instead, each time', async () => {
    const { ask, send, settled } = await openAt(makeServer(), '2026-07-28');
    send(ask(1, 'ping'));
    expect(await settled()).toEqual([refused(-32601, 1)]);
    const sent: string[] = [];
    const tap = (event: TapEvent) => event.kind === 'message' && event.from === 'client' && sent.push(event.text);
    const client = await connect(makeServer(), { protocolVersions: ['2026-07-28'], tap });
    sent.length = 0;
    await client.ping();
    await client.ping();
    expect(sent.map((text) => JSON.parse(text).method)).toEqual(['server/discover', 'server/discover']);
  });
});
