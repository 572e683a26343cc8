/** A server in a worker, all of it at module scope. */
import { createServer, toFetchHandler, tool } from 'tenon/server';
import * as z from 'zod';

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    now: tool({}, () => 'sun'),
    book: tool({}, async (_, ctx) => {
      const answer = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
      return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Not booked';
    }),
    // The same limit: elsewhere both would have one timer.
    brief: tool({ timeoutMs: 2000 }, () => new Promise<string>((resolve) => setTimeout(resolve, 100, 'brief'))),
    endless: tool({ timeoutMs: 2000 }, () => new Promise<string>((resolve) => setTimeout(resolve, 60_000, 'late'))),
    count: tool({}, (_, ctx) => {
      ctx.reportProgress(1, 2);
      ctx.reportProgress(2, 2);
      return 'counted';
    }),
  },
});
const handler = toFetchHandler(server, { allowedHosts: ['127.0.0.1'] });

export default { fetch: (request: Request) => handler(request) };
