/** The demo server: a weather tool, a calculator that returns structured output, and a resource. */
import { content, createServer, resource, tool } from 'tenon';
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
  },
  resources: {
    'weather://stations': resource(
      { title: 'Weather stations', mimeType: 'application/json' },
      () => '["Oslo","Bergen"]',
    ),
  },
});
