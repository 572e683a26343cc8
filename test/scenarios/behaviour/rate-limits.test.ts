import { type Client, connect, createServer, prompt, rpcError, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** A token bucket for each caller: its capacity, and how many calls per second it refills. */
function limit(burst: number, perSecond: number, now: () => number): Middleware {
  const buckets = new Map<string, { left: number; at: number }>();
  return ({ ctx: context }, next) => {
    const who = context.caller.principal?.key ?? '';
    const { left, at } = buckets.get(who) ?? { left: burst, at: now() };
    const filled = Math.min(burst, left + ((now() - at) / 1000) * perSecond);
    if (filled < 1) throw rpcError('rate-limited', 'Too many calls', { retryAfterMs: 1000 / perSecond });
    buckets.set(who, { left: filled - 1, at: now() });
    return next();
  };
}

const calls: ReadonlyArray<readonly [string, (client: Client) => Promise<unknown>]> = [
  ['calls of tools [s-tools-28]', (client) => client.tools.call('look')],
  [
    'completions [s-completion-16]',
    (client) => client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'day', value: 'm' }),
  ],
];

describe.each(protocolVersions)('middleware that limits rates at %s', (revision) => {
  it.each(calls)('refuses %s beyond the rate with `rate-limited`, and admits them again later', async (_what, call) => {
    let time = 0;
    const server = createServer(
      {
        name: 'limited',
        version: '1',
        tools: { look: tool({}, () => 'seen') },
        prompts: {
          plan: prompt({ argsSchema: z.object({ day: z.string() }), complete: { day: () => ['monday'] } }, () => 'x'),
        },
      },
      // Slower than any call may wait: a client waits for what it may repeat.
      { middleware: [limit(2, 0.001, () => time)] },
    );
    await using client = await connect(server, { protocolVersions: [revision] });
    await call(client);
    await call(client);
    await expect(call(client)).rejects.toMatchObject({ reason: 'rate-limited' });
    time += 1_000_000;
    await expect(call(client)).resolves.toBeDefined();
    await expect(call(client)).rejects.toMatchObject({ reason: 'rate-limited' });
  });
});
