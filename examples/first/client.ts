/** A first client: starts the first server, lists its tools and calls one. */
import { connect, toText } from 'tenon';

const client = await connect({ command: 'node', args: ['--import', 'tsx', 'examples/first/server.ts'] });
for await (const tool of client.tools.list()) console.log(tool.name, '-', tool.description);
console.log(toText(await client.tools.call('forecast', { city: 'Oslo' })));
await client.close();
