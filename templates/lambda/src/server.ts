/** The server: what it offers. It is connected to nothing here, so that the function and the tests share it. */
import { createServer, resource, tool } from 'tenon/server';
import * as z from 'zod';

// The answer to a question of a tool may reach another instance, which needs the same secret.
const { SECRET } = process.env;

export default createServer(
  {
    name: 'my-server',
    version: '0.1.0',
    instructions: 'Call forecast with the name of a city.',
    tools: {
      forecast: tool(
        {
          description: 'The forecast for a city',
          inputSchema: z.object({ city: z.string().min(1).describe('The name of the city') }),
          annotations: { readOnlyHint: true },
        },
        ({ city }, ctx) => {
          ctx.reportProgress(1, 2, 'Looking at the sky');
          return `Sunny in ${city}`;
        },
      ),
    },
    resources: {
      'about://server': resource({ name: 'about', mimeType: 'text/plain' }, () => 'A server made with tenon init.'),
    },
  },
  SECRET === undefined ? {} : { secrets: [SECRET] },
);
