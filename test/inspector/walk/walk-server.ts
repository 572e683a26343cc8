/** A server for walks through the page: it asks, reports, changes and waits, each when its tool is called. */
import { createServer, prompt, resource, type Server, tool } from 'tenon';
import { z } from 'zod';

export const createWalkServer = (): Server => {
  const server = createServer(
    {
      name: 'walk',
      version: '1.0.0',
      tools: {
        think: tool({}, async (_, ctx) => {
          const { content, model } = await ctx.sample('idea', {
            systemPrompt: 'Be brief.',
            messages: [{ role: 'user', content: { type: 'text', text: 'An idea?' } }],
            maxTokens: 10,
          });
          return `${model} said ${JSON.stringify(content)}`;
        }),
        folders: tool({}, async (_, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join(' and ') || 'no roots'),
        visit: tool({}, async (_, ctx) => {
          const url = 'https://shop.example/pay?order=7';
          return (await ctx.elicit('pay', { message: 'Pay the order', url })).action;
        }),
        shout: tool({}, (_, ctx) => {
          ctx.log('debug', 'a whisper');
          ctx.log('error', { broken: 'pipe' });
          return 'shouted';
        }),
        grow: tool({}, () => {
          server.update((draft) => {
            draft.tools.grown = tool({}, () => 'grown');
            delete draft.tools.shout;
          });
          server.sendResourceUpdated('notes://one');
          return 'grew';
        }),
        halfway: tool({}, (_, ctx) => {
          ctx.reportProgress(3, 4, 'three of four');
          return untilCancelled(ctx.signal);
        }),
        endless: tool({ task: 'required' }, (_, ctx) => untilCancelled(ctx.signal)),
        approve: tool({ task: 'required' }, async (_, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Who approves?', schema: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `approved by ${answer.content.name}` : answer.action;
        }),
        add: tool({ inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
      },
      resources: { 'notes://one': resource({ mimeType: 'text/plain' }, () => 'a note') },
      prompts: {
        plan: prompt(
          {
            argsSchema: z.object({ city: z.string() }),
            complete: { city: (typed) => ['Bergen', 'Berlin', 'Oslo'].filter((city) => city.startsWith(typed)) },
          },
          ({ city }) => `Plan a day in ${city}`,
        ),
      },
    },
    { onError: () => undefined },
  );
  return server;
};

const untilCancelled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
