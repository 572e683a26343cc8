/** Timeouts of calls: waiting for the user does not count, and every handler can have its own timeout. */
import { connect, createServer, prompt, resource, resourceTemplate, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock, withDeadlines } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { allModes, opened, run, sampled } from '../../kit/server-request-modes.ts';

const prompted = { messages: [], maxTokens: 1 };
const never = (): Promise<never> => new Promise(() => {});

describe.each(allModes)('The timeout of a call, $name', (mode) => {
  it('is paused while server requests are open, and resumes when all are answered', async () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const waiting: Array<() => void> = [];
    const bothRequested = deferred();
    const { client } = await opened(
      mode,
      async ({ sample }) => {
        await Promise.all([sample('a', prompted), sample('b', prompted)]);
        clock.advance(60);
        return 'in time';
      },
      {
        server: { timeoutMs: 100 },
        accept: withDeadlines(deadlines),
        handlers: {
          sample: async () => {
            const answered = deferred();
            if (waiting.push(answered.resolve) === 2) bothRequested.resolve();
            await answered.promise;
            return sampled;
          },
        },
      },
    );
    const call = run(client);
    await bothRequested.promise;
    clock.advance(1000);
    waiting[0]?.();
    // When these lists have been answered, the first answer has arrived and the other request is still open.
    for (let lists = 0; lists < 5; lists++) await client.tools.list().all();
    clock.advance(1000);
    waiting[1]?.();
    expect(await call).toBe('in time');
    await client.close();
  });

  it('applies to the work of the handler after the answer', async () => {
    const clock = createFakeClock();
    const working = deferred<AbortSignal>();
    const { client } = await opened(
      mode,
      async ({ sample, signal }) => {
        await sample('a', prompted);
        working.resolve(signal);
        return never();
      },
      {
        server: { timeoutMs: 100 },
        accept: withClock(clock),
        handlers: {
          sample: () => {
            clock.advance(1000);
            return sampled;
          },
        },
      },
    );
    const call = run(client).catch(({ reason }) => reason);
    const signal = await working.promise;
    clock.advance(99);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(await call).toBe('timeout');
    expect(signal.aborted).toBe(true);
    await client.close();
  });
});

describe.each(allModes.filter(({ repeats }) => !repeats))('The timeout of a call that waits, $name', (mode) => {
  it('continues with the remaining time after the answer', async () => {
    const clock = createFakeClock();
    const working = deferred<AbortSignal>();
    const { client } = await opened(
      mode,
      async ({ sample, signal }) => {
        clock.advance(70);
        await sample('a', prompted);
        working.resolve(signal);
        return never();
      },
      {
        server: { timeoutMs: 100 },
        accept: withClock(clock),
        handlers: { sample: () => sampled },
      },
    );
    const call = run(client).catch(({ reason }) => reason);
    const signal = await working.promise;
    clock.advance(29);
    expect(signal.aborted).toBe(false);
    clock.advance(1);
    expect(await call).toBe('timeout');
    await client.close();
  });
});

describe.each(protocolVersions)('The timeout of a feature at %s', (revision) => {
  const begun: Array<() => void> = [];
  const hang = (): Promise<never> => {
    begun.shift()?.();
    return never();
  };
  const timeoutMs = 20;
  const own = createServer(
    {
      name: 'slow',
      version: '1',
      tools: { t: tool({ timeoutMs }, hang) },
      prompts: { p: prompt({ argsSchema: z.object({ a: z.string() }), complete: { a: hang }, timeoutMs }, hang) },
      resources: { 'r://r': resource({ timeoutMs }, hang) },
      resourceTemplates: { 't://{a}': resourceTemplate({ complete: { a: hang }, timeoutMs }, hang) },
    },
    { timeoutMs: 5000 },
  );

  it.each([
    ['tools/call', { name: 't' }],
    ['prompts/get', { name: 'p', arguments: { a: 'x' } }],
    ['resources/read', { uri: 'r://r' }],
    ['resources/read', { uri: 't://x' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 't://{a}' }, argument: { name: 'a', value: '' } }],
  ])('applies to %s with %j', async (method, params) => {
    const clock = createFakeClock();
    const [here, there] = createMemoryTransports();
    own.accept(there, withClock(clock));
    const client = await connect(here, { protocolVersions: [revision] });
    const started = deferred();
    begun.push(started.resolve);
    const call = client.request(method, params).catch(({ reason }) => reason);
    await started.promise;
    clock.advance(20);
    expect(await call).toBe('timeout');
    await client.close();
  });
});
