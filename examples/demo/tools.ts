/** Tools of the demo: plain ones, a slow one, and two with server requests. */
import { content, tool } from 'tenon';
import { z } from 'zod';
import { after } from './pause.ts';

const skies = ['sunny', 'cloudy', 'rainy', 'snowy'] as const;

export const plain = {
  echo: tool(
    {
      title: 'Echo',
      description: 'Returns the message',
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ message: z.string() }),
    },
    ({ message }) => message,
  ),
  add: tool(
    {
      title: 'Add',
      description: 'Adds two numbers',
      annotations: { readOnlyHint: true },
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ sum: a + b }),
  ),
  weather: tool(
    { title: 'Weather', description: 'The weather in a city', inputSchema: z.object({ city: z.string().min(1) }) },
    ({ city }) => {
      const sky = skies[[...city].length % skies.length];
      return content(
        { type: 'text', text: `It is ${sky} in ${city}` },
        { type: 'resource_link', uri: 'note://stations', name: 'stations', title: 'Weather stations' },
      );
    },
  ),
};

export const slow = {
  count: tool(
    {
      title: 'Count',
      description: 'Counts up and reports progress',
      inputSchema: z.object({
        to: z.number().int().min(1).max(1000).default(5),
        pauseMs: z.number().min(0).max(1000).default(100),
      }),
    },
    async ({ to, pauseMs }, ctx) => {
      for (let at = 1; at <= to; at++) {
        await after(pauseMs, ctx.signal);
        ctx.reportProgress(at, to, `${at} of ${to}`);
      }
      ctx.log('info', `counted to ${to}`);
      return `Counted to ${to}`;
    },
  ),
};

export const requesting = {
  book: tool(
    {
      title: 'Book',
      description: 'Books a trip, after an elicitation for how many people',
      inputSchema: z.object({ city: z.string() }),
    },
    async ({ city }, ctx) => {
      if (!ctx.clientSupports('elicitation.form')) return `To book a trip to ${city}, state for how many people`;
      const answer = await ctx.elicit('people', {
        message: `How many go to ${city}?`,
        schema: z.object({ people: z.number().min(1) }),
      });
      return answer.action === 'accept' ? `Booked ${city} for ${answer.content.people}` : 'Nothing is booked';
    },
  ),
  summarize: tool(
    {
      title: 'Summarize',
      description: "Has a text summarized by the client's model",
      inputSchema: z.object({ text: z.string() }),
    },
    async ({ text }, ctx) => {
      if (!ctx.clientSupports('sampling')) return 'This client does not support sampling';
      const { content: summary } = await ctx.sample('summary', {
        messages: [{ role: 'user', content: { type: 'text', text: `Summarize in one sentence: ${text}` } }],
        maxTokens: 200,
      });
      const parts = Array.isArray(summary) ? summary : [summary];
      return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    },
  ),
};
