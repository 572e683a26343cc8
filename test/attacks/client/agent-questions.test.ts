/** A server that asks more than a person could answer: other servers of the agent can still ask. */
import { createServer, tool } from 'tenon';
import { createToolkit } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { expect, it } from 'vitest';
import { z } from 'zod';

const question = { message: 'When?', schema: z.object({ time: z.string() }) };

const flooding = createServer({
  name: 'flooding',
  version: '1.0.0',
  tools: {
    ask: tool({ description: 'Asks 60 things at once' }, async (_given: unknown, ctx) => {
      await Promise.all(Array.from({ length: 60 }, (_, n) => ctx.elicit(`time ${n}`, question)));
      return 'answered';
    }),
    once: tool(
      { description: 'Asks one thing' },
      async (_given: unknown, ctx) => (await ctx.elicit('x', question)).action,
    ),
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

it('a call with 60 questions in a session leaves room for those of another server [S20]', async () => {
  const host = createHost({
    servers: { flooding, calendar },
    consent: 'allow-all',
    elicit: () => expect.unreachable('the hook was called'),
    connectOptions: { protocolVersions: ['2025-11-25'] },
  });
  await using kit = createToolkit(host, { interrupts: 'return' });
  expect(await kit.call({ id: 'a', name: 'flooding__ask', arguments: {} })).toMatchObject({ type: 'interrupt' });
  // All of them have arrived: a further one of this server is refused at once.
  const further = await kit.call({ id: 'c', name: 'flooding__once', arguments: {} });
  expect(further).toMatchObject({ type: 'result', text: 'cancel' });
  const booking = await kit.call({ id: 'b', name: 'calendar__book', arguments: {} });
  if (booking.type !== 'interrupt') throw new Error(`no interrupt: ${booking.text}`);
  const [key = ''] = Object.keys(booking.interrupt.requests ?? {});
  const outcome = await kit.resume(booking.interrupt, {
    answers: { [key]: { action: 'accept', content: { time: '8 pm' } } },
  });
  expect(outcome).toMatchObject({ type: 'result', text: 'accept' });
});
