/** The server whose tools a model gets in the guide of `tenon eval`. */
import { createServer, tool } from 'tenon';
import { z } from 'zod';

export default createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool(
      { description: 'The weather of the next days', inputSchema: z.object({ city: z.string() }) },
      ({ city }) => `Sunny in ${city}`,
    ),
    delete_all: tool({ description: 'Deletes all stored forecasts' }, () => 'Deleted.'),
  },
});
