/** An MCP server behind a function URL of AWS Lambda: its responses are streamed. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { createServer, toFetchHandler, tool } from 'tenon/server';
import { z } from 'zod';
import { type FunctionUrlEvent, toRequest } from './function-url.ts';

const { PUBLIC_HOST = 'localhost', SECRET = '', API_KEYS = '[]' } = process.env;

const server = createServer(
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
  { secrets: [SECRET] }, // the answer to a question may reach another instance
);

const handle = toFetchHandler(server, {
  allowedHosts: [PUBLIC_HOST],
  sessions: false, // each request may reach another instance
  authenticate: protectWithApiKeys({ keys: JSON.parse(API_KEYS) as ApiKey[] }),
});

export const handler = awslambda.streamifyResponse<FunctionUrlEvent>(async (event, output) => {
  const { status: statusCode, headers, body } = await handle(toRequest(event));
  const stream = awslambda.HttpResponseStream.from(output, { statusCode, headers: Object.fromEntries(headers) });
  // A response without a body needs one write, or its status is not sent.
  if (body === null) return void stream.end('');
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), stream);
});
