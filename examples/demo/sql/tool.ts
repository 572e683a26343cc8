/** The SQL tool of the demo: queries a small sample database, or the SQLite file of `DEMO_DATABASE`. */
import { tool, toolResult } from 'tenon';
import { z } from 'zod';
import { createQueries } from './query-queue.ts';
import { selectProblem } from './single-select.ts';

const failed = (text: string) => toolResult({ isError: true, content: [{ type: 'text', text }] });

export function createSqlTools() {
  const run = createQueries();
  return {
    query: tool(
      {
        title: 'Query',
        description:
          'Runs one SELECT on an SQLite database, at most 100 rows. Tables of the sample: city (id, name, country, people), reading (city_id, day, celsius, rain_mm). For other databases, sqlite_schema lists the tables',
        annotations: { readOnlyHint: true, openWorldHint: false },
        inputSchema: z.object({ sql: z.string().max(10_000) }),
        outputSchema: z.object({
          rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
          cut: z.boolean().describe('Whether rows were left out'),
        }),
      },
      async ({ sql }, ctx) => {
        const problem = selectProblem(sql);
        if (problem !== undefined) return failed(problem);
        const answer = await run(sql, ctx.signal);
        if ('problem' in answer) return failed(answer.problem);
        return { rows: [...answer.rows], cut: answer.cut };
      },
    ),
  };
}
