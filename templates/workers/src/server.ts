/** The server: what it offers. It is connected to nothing here, so that the worker and the tests share it. */
import { createServer, resource, type ServerOptions, tool } from 'tenon/server';
import * as z from 'zod'; // not { z }: that form keeps the messages of zod in every language

export const createMyServer = (options: ServerOptions = {}) =>
  createServer(
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
          ({ city }) => `Sunny in ${city}`,
        ),
      },
      resources: {
        'about://server': resource({ name: 'about', mimeType: 'text/plain' }, () => 'A server made with tenon init.'),
      },
    },
    options,
  );

/** What `npx tenon tools src/server.ts` and `npx tenon package` read. */
export default createMyServer;
