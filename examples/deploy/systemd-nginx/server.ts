/** A server for systemd and nginx: it listens on loopback, and its sessions outlive a restart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, serveHttp, tool } from 'tenon';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { z } from 'zod';

const { PORT = '3000', PUBLIC_HOST = 'localhost', STATE_DIRECTORY = '.', CREDENTIALS_DIRECTORY = '.' } = process.env;
/** systemd makes the files of `LoadCredential` readable for this process alone. */
const credential = (name: string): string => readFileSync(join(CREDENTIALS_DIRECTORY, name), 'utf8').trim();

const server = createServer(
  {
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: tool({ inputSchema: z.object({ city: z.string() }) }, ({ city }) => `Sunny in ${city}`),
      book: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('day', { message: 'Which day?', schema: z.object({ day: z.string() }) });
        return answer.action === 'accept' ? `Booked for ${answer.content.day}` : 'Not booked';
      }),
    },
  },
  { secrets: [credential('secret')] },
);

const service = await serveHttp(server, {
  port: Number(PORT),
  allowedHosts: [PUBLIC_HOST],
  authenticate: protectWithApiKeys({ keys: JSON.parse(credential('keys.json')) as ApiKey[] }),
  trustedProxies: ['127.0.0.1'],
  store: `sqlite:${join(STATE_DIRECTORY, 'weather.db')}`,
  closeOnSignals: true,
});
console.log(`ready ${service.url}`);
