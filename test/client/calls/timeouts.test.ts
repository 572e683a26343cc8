import { connect, createServer, type ProtocolVersion, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { form, formModes, opened, run } from '../../kit/server-request-modes.ts';

describe.each(formModes)('The timeout of a call, $name,', (mode) => {
  const elicitingHandler = async ({ elicit }: Parameters<Parameters<typeof opened>[1]>[0]): Promise<string> =>
    (await elicit('a', form('a'))).action;

  it('is paused while the user answers', async () => {
    const clock = createFakeClock();
    const requested = deferred();
    const go = deferred();
    const { client } = await opened(mode, elicitingHandler, {
      ...withClock(clock),
      timeoutMs: 1000,
      handlers: {
        elicitForm: async () => {
          requested.resolve();
          await go.promise;
          return { action: 'decline' };
        },
      },
    });
    const calling = run(client);
    await requested.promise;
    clock.advance(300_000);
    go.resolve();
    expect(await calling).toBe('decline');
    await client.close();
  });

  it('continues once the user has answered', async () => {
    const clock = createFakeClock();
    const requested = deferred();
    const go = deferred();
    const answered = deferred();
    const { client } = await opened(
      mode,
      async ({ elicit }) => {
        await elicit('a', form('a'));
        answered.resolve();
        return new Promise<string>(() => {});
      },
      {
        ...withClock(clock),
        timeoutMs: 1000,
        handlers: {
          elicitForm: async () => {
            requested.resolve();
            await go.promise;
            return { action: 'decline' };
          },
        },
      },
    );
    const calling = run(client).catch(({ code }) => code);
    await requested.promise;
    clock.advance(5000);
    go.resolve();
    await answered.promise;
    clock.advance(1001);
    expect(await calling).toBe('timeout');
    await client.close();
  });

  it('is not paused forever: an elicitation without an answer fails after inputMs', async () => {
    const clock = createFakeClock();
    const requested = deferred<AbortSignal>();
    const { client } = await opened(
      mode,
      async ({ elicit }) => elicit('a', form('a')).then(String, ({ code }) => `handler: ${code}`),
      {
        ...withClock(clock),
        timeouts: { inputMs: 2000 },
        handlers: {
          elicitForm: (_request, { signal }) => {
            requested.resolve(signal);
            return new Promise(() => {});
          },
        },
      },
    );
    const calling = run(client).catch(({ code }) => `caller: ${code}`);
    const signal = await requested.promise;
    clock.advance(2001);
    expect(await calling).toBe(
      mode.revision === '2026-07-28' ? 'caller: server-request-failed' : 'handler: server-request-failed',
    );
    expect(signal.aborted).toBe(true);
    await client.close();
  });
});

it.each(protocolVersions)(
  'At %s the timeout runs while no server request is pending',
  async (revision: ProtocolVersion) => {
    const clock = createFakeClock();
    const begun = deferred();
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        hang: tool({}, () => {
          begun.resolve();
          return new Promise<string>(() => {});
        }),
      },
    });
    const [here, there] = createMemoryTransports();
    server.accept(there);
    await using client = await connect(here, {
      protocolVersions: [revision],
      ...withClock(clock),
      timeoutMs: 1000,
      handlers: { roots: [] },
    });
    const calling = client.tools.call('hang').catch(({ code }) => code);
    await begun.promise;
    clock.advance(1001);
    expect(await calling).toBe('timeout');
  },
);
