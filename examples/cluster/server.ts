/** The server that every node of the cluster runs. */
import { setTimeout as pause } from 'node:timers/promises';
import { createServer, tool } from 'tenon';
import { z } from 'zod';

/** `node` is the name of this process; `secrets` are the same at every node. */
export const createClusterServer = (node: string, secrets: readonly string[]) =>
  createServer(
    {
      name: 'cluster',
      version: '1.0.0',
      tools: {
        where: tool({ description: 'Names the node that serves the call' }, () => node),
        count: tool(
          { description: 'Counts up and reports progress', inputSchema: z.object({ to: z.number().int().max(100) }) },
          async ({ to }, ctx) => {
            for (let at = 1; at <= to; at++) {
              await pause(50, undefined, { signal: ctx.signal });
              ctx.reportProgress(at, to, node);
            }
            return `${node} counted to ${to}`;
          },
        ),
        order: tool(
          { description: 'Orders an item, after an elicitation', inputSchema: z.object({ item: z.string() }) },
          async ({ item }, ctx) => {
            const question = { message: `How many of ${item}?`, schema: z.object({ count: z.number().int() }) };
            const answer = await ctx.elicit('count', question);
            return answer.action === 'accept' ? `${node} ordered ${answer.content.count} of ${item}` : 'Nothing';
          },
        ),
      },
    },
    { secrets },
  );
