/** The server: an ordinary definition. */
import { createServer, tool } from 'tenon/server';
import * as z from 'zod';

export const server = createServer(
  {
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`),
      count: tool({ inputSchema: z.object({ to: z.number().int().max(100) }) }, async ({ to }, ctx) => {
        for (let at = 1; at <= to; at++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          ctx.reportProgress(at, to);
        }
        return `Counted to ${to}`;
      }),
      book: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
        return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Not booked';
      }),
    },
  },
  // The answer to a question may reach another instance. `next build` has no secrets.
  process.env.SECRET === undefined ? {} : { secrets: [process.env.SECRET] },
);
