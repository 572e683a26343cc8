/** An MCP server as a worker of Cloudflare, all of it at module scope: each request is served by itself. */
import { env } from 'cloudflare:workers';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { createServer, toFetchHandler, tool } from 'tenon/server';
import * as z from 'zod'; // not { z }: that form keeps the messages of zod in every language

const server = createServer(
  {
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`),
      count: tool({ inputSchema: z.object({ to: z.number().int().max(100) }) }, ({ to }, ctx) => {
        for (let at = 1; at <= to; at++) ctx.reportProgress(at, to);
        return `Counted to ${to}`;
      }),
      book: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
        return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Not booked';
      }),
    },
  },
  { secrets: [env.SECRET] }, // the answer to a question may reach another instance
);

const handler = toFetchHandler(server, {
  allowedHosts: [env.PUBLIC_HOST],
  authenticate: protectWithApiKeys({ keys: JSON.parse(env.API_KEYS) as ApiKey[] }),
});

export default { fetch: (request: Request) => handler(request) };
