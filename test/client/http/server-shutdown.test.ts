/** Calls while a server shuts down: one that was running has an unknown outcome, one that was refused has not run. */
import { connect, createServer, serveHttp, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

async function serveWaiting(protocolVersion: (typeof protocolVersions)[number], shutdownMs: number) {
  const started = deferred();
  const held = deferred();
  let runs = 0;
  const run = async (): Promise<string> => {
    runs++;
    started.resolve();
    await held.promise;
    return 'waited';
  };
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      silent: tool({}, run),
      progress: tool({}, (_args, ctx) => {
        ctx.reportProgress(1);
        return run();
      }),
      count: tool({}, () => `${++runs}`),
    },
  });
  const service = await serveHttp(server, { port: 0, timeouts: { shutdownMs } });
  const client = await connect(service.url, { protocolVersions: [protocolVersion] });
  onTestFinished(async () => {
    held.resolve();
    await client.close();
    await service.close();
  });
  return { client, service, started: started.promise, release: held.resolve, runs: () => runs };
}

describe.each(protocolVersions)('When a server of %s shuts down,', (protocolVersion) => {
  it.each([
    ['a call without notifications', 'silent'],
    ['a call with a stream', 'progress'],
  ])('%s that is cut off rejects with outcome-unknown', async (_what, name) => {
    const { client, service, started, runs } = await serveWaiting(protocolVersion, 20);
    const call = client.tools.call(name, {}).catch((error: unknown) => error);
    await withTimeout(started, 'the handler');
    const closed = service.close();
    const error = (await withTimeout(call, 'the answer')) as Error;
    expect(error).toMatchObject({ code: 'outcome-unknown', details: { method: 'tools/call' } });
    expect(error.message).not.toMatch(/try again later/i);
    expect(runs()).toBe(1);
    await withTimeout(closed, 'the server to close');
  });

  it('a call that is refused while another still runs is sent again until its time limit, and then rejects with server-unavailable', async () => {
    const { client, service, started, release, runs } = await serveWaiting(protocolVersion, 5000);
    const running = client.tools.call('silent', {});
    await withTimeout(started, 'the handler');
    const closed = service.close();
    const refused = client.tools.call('count', {}, { timeoutMs: 250 });
    await expect(refused).rejects.toMatchObject({ code: 'server-unavailable' });
    expect(runs()).toBe(1);
    release();
    await withTimeout(running, 'the result');
    await withTimeout(closed, 'the server to close');
  });
});
