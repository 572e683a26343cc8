/** The client of the official SDK, second generation. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { lifecycles } from '../../lib/lifecycles.mjs';
import { prepared } from './in-flight.mjs';

export async function open({ lifecycle, port }) {
  const mode = lifecycle === 'exchange' ? { pin: lifecycles.exchange.revision } : 'legacy';
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  return client;
}

export async function prepare(job) {
  const client = await open(job);
  return prepared(() => client.callTool({ name: 'echo', arguments: { message: 'hello' } }), job.inFlight);
}
