/** HTTP: `bun serve.ts`, or `deno serve --host 127.0.0.1 serve.ts`. Both serve the default export by the HTTP server of the runtime. */
import process from 'node:process';
import { toFetchHandler } from 'tenon';
import { server } from './weather.ts';

const { PORT = '3000', PUBLIC_HOST = 'localhost' } = process.env;
const handler = toFetchHandler(server, { allowedHosts: [PUBLIC_HOST] });

process.once('SIGTERM', async () => {
  await handler.close(); // running calls have 5 seconds to finish
  process.exit(0);
});

export default {
  fetch: (request: Request) => handler(request),
  // For Bun; Deno takes --host and --port, and without --host it serves all machines.
  hostname: '127.0.0.1',
  port: Number(PORT),
  idleTimeout: 60, // seconds. By default Bun cuts a stream after 10, before the first comment keeps it open (15)
};
