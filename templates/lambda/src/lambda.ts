/** The function: answers the requests of its function URL, and streams the responses. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ApiKey, protectWithApiKeys } from 'tenon/auth';
import { toFetchHandler } from 'tenon/server';
import { type FunctionUrlEvent, toRequest } from './function-url.ts';
import server from './server.ts';

const { PUBLIC_HOST = 'localhost', API_KEYS = '[]' } = process.env;

export const handle = toFetchHandler(server, {
  allowedHosts: [PUBLIC_HOST],
  sessions: false, // each request may reach another instance
  authenticate: protectWithApiKeys({ keys: JSON.parse(API_KEYS) as ApiKey[] }),
});

export const handler = awslambda.streamifyResponse<FunctionUrlEvent>(async (event, output) => {
  const { status: statusCode, headers, body } = await handle(toRequest(event));
  const stream = awslambda.HttpResponseStream.from(output, { statusCode, headers: Object.fromEntries(headers) });
  // A response without a body needs one write, or its status is not sent.
  if (body === null) return void stream.end('');
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), stream);
});
