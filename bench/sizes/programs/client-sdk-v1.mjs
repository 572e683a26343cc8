/** A client that makes one call, by the official SDK, version 1. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';

export async function callAdd({ send, listen }) {
  const transport = {
    async start() {
      listen((text) => transport.onmessage(JSON.parse(text)));
    },
    async close() {},
    async send(message) {
      send(JSON.stringify(message));
    },
  };
  const client = new Client({ name: 'minimal', version: '1.0.0' });
  await client.connect(transport);
  return client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
}
