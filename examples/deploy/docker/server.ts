/** A server in a container: secrets from files, a path for health checks, and an orderly end at SIGTERM. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, serveHttp, tool } from 'tenon';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { z } from 'zod';

const { HOST = '127.0.0.1', PORT = '3000', PUBLIC_HOST = 'localhost', STORE = 'memory:' } = process.env;
const { SECRETS_FOLDER = '/run/secrets', PROXIES = '', SHUTDOWN_MS = '5000' } = process.env;
const secret = (name: string): string => readFileSync(join(SECRETS_FOLDER, name), 'utf8').trim();

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
  { secrets: [secret('secret')] },
);

let health = 200;
process.once('SIGTERM', () => (health = 503));

const service = await serveHttp(server, {
  host: HOST,
  port: Number(PORT),
  allowedHosts: [PUBLIC_HOST],
  authenticate: protectWithApiKeys({ keys: JSON.parse(secret('keys.json')) as ApiKey[] }),
  behindProxy: true, // what is in front of the container has the certificate
  trustedProxies: PROXIES.split(' ').filter((network) => network !== ''),
  store: STORE,
  closeOnSignals: true,
  timeouts: { shutdownMs: Number(SHUTDOWN_MS) },
  notFound: ({ url }, response) => void response.writeHead(url === '/health' ? health : 404).end(),
});
console.log(`ready ${service.url}`);
