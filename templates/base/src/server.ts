/** The server: what it offers. It is connected to nothing here, so that stdio, HTTP and the tests share it. */
import { createServer, resource, tool } from 'tenon';
import { z } from 'zod';

export default createServer({
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
});
