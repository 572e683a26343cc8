/** Rounds of a call to a process without sessions: each gets the process that has asked, which alone can open its state. */
import { createServer, type ProtocolVersion, type Server, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { exchangeVersion, sessionVersions } from '../kit/version-order.ts';
import { openClient, served, startGateway, textOf, upstreamPer } from './start.ts';

const name = { message: 'Name?', schema: z.object({ name: z.string() }) };

/** Each connection has a server with a key of its own, as each process has. */
const asking = upstreamPer(
  (number) =>
    createServer({
      name: 'asking',
      version: '1.0.0',
      tools: {
        ask: tool({}, async (_args, ctx) => {
          const [first, second] = [await ctx.elicit('first', name), await ctx.elicit('second', name)];
          return `${number} ${first.action} ${second.action}`;
        }),
      },
    }) as Server,
);

describe.each([exchangeVersion, sessionVersions.at(-1) as ProtocolVersion])('A caller at %s', (version) => {
  const options = { ...asking.options, share: 'call', protocolVersions: [exchangeVersion] } as const;

  it('answers the process that has asked, which ends with the call', async () => {
    const { gateway } = startGateway({ asking: options });
    const handlers = { elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }) as const };
    const client = await openClient(await served(gateway.server), { protocolVersions: [version], handlers });
    expect(textOf(await client.tools.call('ask', {}))).toMatch(/^\d+ accept accept$/);
    await vi.waitUntil(() => gateway.status().upstreams.asking?.connections === 0);
    expect(gateway.status().upstreams.asking?.parked).toBe(0);
  });
});

it('A process that has asked ends when its caller cancels the call', async () => {
  const { gateway } = startGateway({
    asking: { ...asking.options, share: 'call', protocolVersions: [exchangeVersion] },
  });
  const asked = createDeferred();
  const elicitForm = (): Promise<never> => (asked.resolve(), new Promise(() => {}));
  const client = await openClient(await served(gateway.server), {
    protocolVersions: [sessionVersions.at(-1) as ProtocolVersion],
    handlers: { elicitForm },
  });
  const controller = new AbortController();
  const call = client.tools.call('ask', {}, { signal: controller.signal });
  await asked.promise;
  expect(gateway.status().upstreams.asking).toMatchObject({ parked: 1, connections: 1 });
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await vi.waitUntil(() => gateway.status().upstreams.asking?.connections === 0);
  expect(gateway.status().upstreams.asking?.parked).toBe(0);
});
