/** A Tenon server closes gracefully and restarts at the same port: a client that only subscribes is notified. */
import { connect, createServer, type HttpService, type ProtocolVersion, serveHttp, tool } from 'tenon';
import { createHost } from 'tenon/host';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Subscription } from '../../../src/client/api/changes.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { listenAgain, stablePort } from './stable-port.ts';

const own = { initialDelayMs: 5, maxDelayMs: 50, maxConsecutiveFailures: 1000 };
const reconnect = withFixed(own, { maxAttemptsPerMinute: 1000 });
const make = () => createServer({ name: 'clock', version: '1.0.0', tools: { now: tool({}, () => 'noon') } });

interface Restarted {
  readonly url: string;
  /** Adds a tool to the server. */
  addTool(): void;
  restart(): Promise<void>;
}

async function served(): Promise<Restarted> {
  let server = make();
  let count = 0;
  const port = await stablePort();
  let service: HttpService = await serveHttp(server, { port });
  onTestFinished(() => service.close());
  const { url } = service;
  return {
    url,
    async restart() {
      await service.close();
      server = make();
      service = await listenAgain(() => serveHttp(server, { port }));
    },
    addTool: () =>
      server.update(({ tools }) => {
        tools[`later-${++count}`] = tool({}, () => 'later');
      }),
  };
}

const next = (changes: Subscription) => withTimeout(changes[Symbol.asyncIterator]().next(), 'a change');

describe.each<ProtocolVersion>(protocolVersions)('at %s a server that restarts gracefully', (revision) => {
  it('is subscribed to again by a client that makes no calls', async () => {
    const { url, restart, addTool } = await served();
    const client = await connect(url, { protocolVersions: [revision], reconnect });
    onTestFinished(() => client.close({ timeoutMs: 1 }));
    const changes = await client.subscribe({ toolsListChanged: true });
    await restart();
    expect((await next(changes)).value).toEqual({ type: 'tools' });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['now']);
    addTool();
    expect((await next(changes)).value).toEqual({ type: 'tools' });
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['now', 'later-1']);
  });

  it('is subscribed to again by a host', async () => {
    const { url, restart, addTool } = await served();
    await using host = createHost({
      servers: { clock: { url } },
      connectOptions: { protocolVersions: [revision], reconnect },
    });
    const changes = host.subscribe()[Symbol.asyncIterator]();
    await host.tools.list();
    const nextChange = async () => {
      for (;;) {
        const { value } = await withTimeout(changes.next(), 'a change');
        if (value?.change.kind !== 'connection') return value;
      }
    };
    let hasReceived = false;
    const first = nextChange().then(() => (hasReceived = true));
    const addUntilReceived = (): boolean => {
      if (!hasReceived) addTool();
      return hasReceived;
    };
    await expect.poll(addUntilReceived).toBe(true);
    await first;
    await host.tools.list();
    await restart();
    expect(await nextChange()).toEqual({ server: 'clock', change: { type: 'tools' } });
  });
});
