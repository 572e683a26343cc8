/** The demo server: tools with structured output and rich content, one that asks the user, resources and a prompt. */
import { content, createServer, prompt, resource, template, tool } from 'tenon';
import { z } from 'zod';

export const demo = createServer({
  name: 'demo',
  title: 'Tenon demo',
  version: '0.1.0',
  instructions: 'Ask for the weather in a city, or add two numbers.',
  tools: {
    add: tool(
      {
        title: 'Add',
        description: 'Adds two numbers',
        annotations: { readOnlyHint: true },
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.number(),
      },
      ({ a, b }) => a + b,
    ),
    weather: tool(
      { title: 'Weather', description: 'The weather in a city', input: z.object({ city: z.string() }) },
      ({ city }) =>
        content(
          { type: 'text', text: `Sunny in ${city}` },
          { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
          { type: 'resource_link', uri: 'weather://stations', name: 'stations', title: 'Weather stations' },
        ),
    ),
    book: tool(
      { title: 'Book', description: 'Books a trip, after asking for how many', input: z.object({ city: z.string() }) },
      async ({ city }, ctx) => {
        if (!ctx.can('elicit.form')) return `To book a trip to ${city}, tell me for how many`;
        const answer = await ctx.elicit('people', {
          message: `How many go to ${city}?`,
          schema: z.object({ people: z.number().min(1) }),
        });
        return answer.action === 'accept' ? `Booked ${city} for ${answer.content.people}` : 'Nothing is booked';
      },
    ),
  },
  resources: {
    'weather://stations': resource(
      { title: 'Weather stations', mimeType: 'application/json' },
      () => '["Oslo","Bergen"]',
    ),
  },
  templates: {
    'weather://{city}/now': template(
      { title: 'The weather now', mimeType: 'text/plain' },
      ({ city }) => `Sunny in ${city}`,
    ),
  },
  prompts: {
    plan: prompt({ title: 'Plan a day', args: z.object({ city: z.string() }) }, ({ city }) => `Plan a day in ${city}`),
  },
});
