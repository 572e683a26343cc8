/** A server that asks more than a person could answer: other servers of the agent can still ask. */
import { createServer, tool } from 'tenon';
import { createToolkit } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';

const question = { message: 'When?', schema: z.object({ time: z.string() }) };

let refused = 0;

const flooding = createServer({
  name: 'flooding',
  version: '1.0.0',
  tools: {
    ask: tool({ description: 'Asks 64 things at once' }, async (_given: unknown, ctx) => {
      const ask = async (n: number): Promise<void> => {
        const { action } = await ctx.elicit(`time ${n}`, question);
        if (action === 'cancel') refused++;
      };
      await Promise.all(Array.from({ length: 64 }, (_, n) => ask(n)));
      return 'answered';
    }),
  },
});

const calendar = createServer({
  name: 'calendar',
  version: '1.0.0',
  tools: {
    book: tool({ description: 'Books' }, async (_given: unknown, ctx) => {
      const { action } = await ctx.elicit('time', question);
      return action;
    }),
  },
});

it('a call with 64 questions in a session leaves room for those of another server [S20]', async () => {
  const host = createHost({
    servers: { flooding, calendar },
    consent: 'allow-all',
    elicit: () => expect.unreachable('the hook was called'),
    connectOptions: { protocolVersions: ['2025-11-25'] },
  });
  await using kit = createToolkit(host, { interrupts: 'return' });
  expect(await kit.call({ id: 'a', name: 'flooding__ask', arguments: {} })).toMatchObject({ type: 'interrupt' });
  // All of them have arrived.
  await vi.waitFor(() => expect(refused).toBe(32));
  const booking = await kit.call({ id: 'b', name: 'calendar__book', arguments: {} });
  if (booking.type !== 'interrupt') throw new Error(`no interrupt: ${booking.text}`);
  const [key = ''] = Object.keys(booking.interrupt.requests ?? {});
  const outcome = await kit.resume(booking.interrupt, {
    answers: { [key]: { action: 'accept', content: { time: '8 pm' } } },
  });
  expect(outcome).toMatchObject({ type: 'result', text: 'accept' });
});
