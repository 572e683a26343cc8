/** The server of both runtimes, over HTTP and over standard streams. */
import process from 'node:process';
import { createServer, tool } from 'tenon';
import { z } from 'zod';

export const server = createServer(
  {
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`),
      book: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
        return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Not booked';
      }),
    },
  },
  process.env.SECRET === undefined ? {} : { secrets: [process.env.SECRET] },
);
