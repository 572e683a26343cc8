/** A server in this process, so that the agent has tools from the start. */
import { createServer, tool } from 'tenon';
import { z } from 'zod';

const inputSchema = z.object({ city: z.string().min(1).describe('The name of the city') });

export default createServer({
  name: 'weather',
  version: '0.1.0',
  instructions: 'Call forecast with the name of a city.',
  tools: {
    forecast: tool(
      { description: 'The forecast for a city', inputSchema, annotations: { readOnlyHint: true } },
      ({ city }) => `Sunny in ${city}`,
    ),
    warn: tool({ description: 'Sends a warning to everyone in a city', inputSchema }, ({ city }) => `Warned ${city}`),
  },
});
