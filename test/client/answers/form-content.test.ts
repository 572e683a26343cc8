/** The content of a form as a handler returns it. */
import { connect, createServer, tool } from 'tenon';
import { expect, it } from 'vitest';
import { z } from 'zod';

const address = z.object({ street: z.string().optional(), yes: z.boolean().optional() });
const server = createServer({
  name: 's',
  version: '1',
  tools: {
    deliver: tool({}, async (_, ctx) => {
      const answer = await ctx.elicit('where', { message: 'Where?', schema: address });
      return answer.action === 'accept' ? JSON.stringify(answer.content) : answer.action;
    }),
  },
});

it.each([
  [true, '{"street":"High Street"}'],
  [false, '{"yes":true}'],
])('fields that are undefined are left out of the content (%s)', async (hasStreet, text) => {
  const street = 'High Street';
  await using client = await connect(server, {
    handlers: { elicitForm: () => ({ action: 'accept', content: hasStreet ? { street } : { yes: true } }) },
  });
  expect(await client.tools.call('deliver')).toMatchObject({ content: [{ text }] });
  await using explicit = await connect(server, {
    handlers: {
      elicitForm: () => {
        const content = hasStreet ? { street, yes: undefined } : { street: undefined, yes: true };
        return { action: 'accept', content };
      },
    },
  });
  expect(await explicit.tools.call('deliver')).toMatchObject({ content: [{ text }] });
});
