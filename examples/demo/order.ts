/** Orders the long report of the demo and waits for it, however often the demo is killed and started again: `node --import tsx examples/demo/order.ts URL`. */
import { argv } from 'node:process';
import { connect } from 'tenon';

const [url = 'http://127.0.0.1:3000/mcp'] = argv.slice(2);
const client = await connect(url);
const { structuredContent } = await client.tools.call(
  'long_report',
  {},
  { onProgress: ({ message }) => console.log(message) },
);
console.log(structuredContent);
await client.close();
