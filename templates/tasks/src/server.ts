/** The server: what it offers. It is connected to nothing here, so that HTTP and the tests share it. */
import { createServer, tool } from 'tenon';
import { z } from 'zod';

// The same in every process that shares the store; 16 characters or more.
const { SECRET } = process.env;

export default createServer(
  {
    name: 'my-server',
    version: '0.1.0',
    instructions: 'Call report with a year.',
    tools: {
      report: tool(
        {
          description: 'Writes the report of a year',
          inputSchema: z.object({ year: z.number().int().min(2000) }),
          task: 'optional',
        },
        // After a restart the handler runs again: a step that has a result does not.
        async ({ year }, ctx) => {
          const rows = await ctx.step('read', () => 1000);
          ctx.reportProgress(1, 2, 'The rows are read');
          const file = await ctx.step('write', () => `report-${year}.pdf`);
          return `${rows} rows in ${file}`;
        },
      ),
    },
  },
  SECRET === undefined ? {} : { secrets: [SECRET] },
);
