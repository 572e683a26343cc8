/** Orders the long report of the demo and waits for it, also while the demo is killed and started again: `node --import tsx examples/demo/order.ts URL`. */
import { randomUUID } from 'node:crypto';
import { argv } from 'node:process';
import { connect } from 'tenon';

const [url = 'http://127.0.0.1:3000/mcp', chapters = 10, pauseMs = 1000] = argv.slice(2);
const client = await connect(url);
const given = { chapters: Number(chapters), pauseMs: Number(pauseMs) };
const onTask = ({ taskId }: { taskId: string }): void => console.log(`Waiting for the task ${taskId}`);
// With a key, a call whose answer was lost is sent again and gets the same task.
const options = { onTask, idempotencyKey: randomUUID() };
const { structuredContent } = await client.tools.call('long_report', given, options);
console.log(JSON.stringify(structuredContent, undefined, 2));
await client.close();
