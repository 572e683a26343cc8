/** A server with something of every kind that the inspector shows. */
import { createServer, prompt, resource, type Server, tool } from 'tenon';
import { z } from 'zod';

export const createSample = (): Server =>
  createServer(
    {
      name: 'sample',
      version: '1.0.0',
      instructions: 'Try add.',
      tools: {
        add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
        book: tool({}, async (_, ctx) => {
          const answer = await ctx.elicit('who', { message: 'For whom?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `booked for ${answer.content.name}` : answer.action;
        }),
        think: tool({}, async (_, ctx) => {
          const { content } = await ctx.sample('idea', {
            messages: [{ role: 'user', content: { type: 'text', text: 'An idea?' } }],
            maxTokens: 10,
          });
          return JSON.stringify(content);
        }),
        work: tool({}, async (_, ctx) => {
          ctx.reportProgress(1, 2, 'half');
          ctx.log('warning', { half: true });
          return 'worked';
        }),
        waits: tool(
          {},
          (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))),
        ),
        fails: tool({}, () => {
          throw new Error('inside');
        }),
      },
      resources: { 'notes://one': resource({ mimeType: 'text/plain' }, () => 'a note') },
      prompts: {
        hello: prompt({ argsSchema: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`),
      },
    },
    { onError: () => undefined },
  );
