/** A server on standard streams: it knows the time, and which process it is. */
import { createServer, serveStdio, tool } from 'tenon';
import { z } from 'zod';

serveStdio(
  createServer({
    name: 'clock',
    version: '1.0.0',
    tools: {
      time: tool(
        { description: 'The time in a time zone', inputSchema: z.object({ timeZone: z.string().default('UTC') }) },
        ({ timeZone }) => new Date().toLocaleTimeString('en-GB', { timeZone }),
      ),
      process: tool({ description: 'The process of this server' }, () => String(process.pid)),
    },
  }),
);
