/** The server that every framework here serves at `/mcp`. */
import { createServer, tool } from 'tenon/server';
import { z } from 'zod';

export const server = createServer({
  name: 'counter',
  version: '1.0.0',
  tools: {
    greet: tool({ inputSchema: z.object({ name: z.string() }) }, ({ name }) => `Hello, ${name}`),
    count: tool({ inputSchema: z.object({ to: z.number() }) }, ({ to }, ctx) => {
      for (let at = 1; at <= to; at++) ctx.reportProgress(at, to);
      return `Counted to ${to}`;
    }),
  },
});
