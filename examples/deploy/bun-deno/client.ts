/** A client: calls a tool of the server at a URL, or of the server that a command starts. */
import process from 'node:process';
import { type ConnectTarget, connect, toText } from 'tenon';

const [first = 'http://localhost:3000/mcp', ...args] = process.argv.slice(2);
const target: ConnectTarget = first.startsWith('http') ? first : { command: first, args };

const client = await connect(target, {
  handlers: { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) },
});
console.log(`${client.protocolVersion}: ${toText(await client.tools.call('forecast', { city: 'Oslo' }))}`);
console.log(toText(await client.tools.call('book')));
await client.close();
