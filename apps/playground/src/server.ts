/** The server of the playground: a plain tool, one that asks by a form, and one that reports progress. */
import { createServer, tool } from 'tenon';
import * as z from 'zod';

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];
const city = z.string().min(1).describe('A city, such as Oslo');
const degreesOn = (name: string, day: number): number => (name.length * 7 + day * day * 3) % 25;

export const server = createServer({
  name: 'weather',
  title: 'Weather',
  version: '1.0.0',
  tools: {
    forecast: tool(
      {
        title: 'Forecast',
        description: 'The degrees of the next days in a city',
        annotations: { readOnlyHint: true },
        inputSchema: z.object({ city }),
        outputSchema: z.object({ days: z.array(z.object({ day: z.string(), degrees: z.number() })) }),
      },
      (asked) => ({ days: days.map((day, at) => ({ day, degrees: degreesOn(asked.city, at) })) }),
    ),
    book: tool(
      { title: 'Book', description: 'Books a trip, after a form for the user', inputSchema: z.object({ city }) },
      async (asked, ctx) => {
        const answer = await ctx.elicit('trip', {
          message: `How many go to ${asked.city}?`,
          schema: z.object({ people: z.number().int().min(1).max(8) }),
        });
        return answer.action === 'accept'
          ? `${asked.city} is booked for ${answer.content.people}`
          : 'Nothing is booked';
      },
    ),
    report: tool(
      { title: 'Report', description: 'Writes a report, and its progress', inputSchema: z.object({ city }) },
      async (asked, ctx) => {
        const lines: string[] = [];
        for (const [at, day] of days.entries()) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          ctx.signal.throwIfAborted();
          lines.push(`${day}: ${degreesOn(asked.city, at)} degrees`);
          ctx.reportProgress(at + 1, days.length, day);
        }
        return lines.join('\n');
      },
    ),
  },
});
