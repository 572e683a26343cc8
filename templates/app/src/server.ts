/** The server: a tool, and the app that shows its results. It is connected to nothing here, so that HTTP and the tests share it. */
import { createServer, tool, toolResult } from 'tenon';
import { app } from 'tenon/extensions';
import { z } from 'zod';
import { readPage } from './page.ts';

const forecastApp = 'ui://my-server/forecast';

export default createServer({
  name: 'my-server',
  version: '0.1.0',
  instructions: 'Call forecast with the name of a city.',
  tools: {
    forecast: tool(
      {
        description: 'The forecast for a city',
        inputSchema: z.object({ city: z.string().min(1).describe('The name of the city') }),
        outputSchema: z.object({ city: z.string(), days: z.array(z.object({ day: z.string(), degrees: z.number() })) }),
        annotations: { readOnlyHint: true },
        _meta: { ui: { resourceUri: forecastApp } },
      },
      ({ city }) => {
        const days = ['Mon', 'Tue', 'Wed'].map((day, at) => ({ day, degrees: city.length + at }));
        return toolResult({ content: [{ type: 'text', text: `Sunny in ${city}` }], structuredContent: { city, days } });
      },
    ),
  },
  resources: { [forecastApp]: app({ name: 'forecast', title: 'Forecast' }, readPage) },
});
