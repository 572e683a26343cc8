/** The long report of the demo: a task that outlives the process that began it, if `DEMO_STORE` names a store that lasts. */
import { pid } from 'node:process';
import { tool } from 'tenon';
import { z } from 'zod';
import { after } from './pause.ts';

const inputSchema = z.object({
  chapters: z.number().int().min(1).max(1000).default(10),
  pauseMs: z.number().min(0).max(60_000).default(1000),
});

const outputSchema = z.object({
  chapters: z.array(z.object({ title: z.string(), writtenBy: z.number() })),
  processes: z.number(),
});

export const report = {
  long_report: tool(
    {
      title: 'Long report',
      description: 'Writes a report, chapter by chapter. A chapter that is stored is not written again.',
      inputSchema,
      outputSchema,
      task: 'optional',
    },
    async ({ chapters, pauseMs }, ctx) => {
      const written: z.output<typeof outputSchema>['chapters'] = [];
      for (let at = 1; at <= chapters; at++) {
        const chapter = await ctx.step(`chapter-${at}`, async () => {
          await after(pauseMs, ctx.signal);
          console.log(`Process ${pid} has written chapter ${at} of ${chapters}`);
          return { title: `Chapter ${at}`, writtenBy: pid };
        });
        written.push(chapter);
        ctx.reportProgress(at, chapters, `${chapter.title} of ${chapters}`);
      }
      return { chapters: written, processes: new Set(written.map(({ writtenBy }) => writtenBy)).size };
    },
  ),
};
