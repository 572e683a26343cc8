/** The client of the official SDK, first generation. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { prepared } from './in-flight.mjs';

export async function open({ port }) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  return client;
}

export async function prepare(job) {
  if (job.lifecycle === 'exchange') return { skipped: 'supports sessions only' };
  const client = await open(job);
  return prepared(() => client.callTool({ name: 'echo', arguments: { message: 'hello' } }), job.inFlight);
}
