/** A first server: one tool, on standard input and output. */
import { createServer, serveStdio, tool } from 'tenon/stdio';
import { z } from 'zod';

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool(
      { description: 'The forecast for a city', inputSchema: z.object({ city: z.string() }) },
      ({ city }) => `Sunny in ${city}`,
    ),
  },
});

serveStdio(server);
