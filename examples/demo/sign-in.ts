/** Signs in to a server in the terminal, then shows its tools and calls one: `node --import tsx examples/demo/sign-in.ts URL`. */
import { argv } from 'node:process';
import { connect, toText } from 'tenon';
import { oauth, terminalSignIn } from 'tenon/auth';

const url = argv.slice(2).find((argument) => !argument.startsWith('--')) ?? 'http://127.0.0.1:3000/mcp';
const auth = oauth({
  signIn: terminalSignIn({ openBrowser: !argv.includes('--no-browser') }),
  clientMetadata: { name: 'Tenon demo client' },
  // With --explain, every step of the sign-in is printed.
  ...(argv.includes('--explain') && { explain: (step) => console.error(step) }),
});

const client = await connect({ url, auth });
const tools = await client.tools.list().all();
console.log(`Signed in. Tools: ${tools.map(({ name }) => name).join(', ')}`);
if (tools.some(({ name }) => name === 'add'))
  console.log(`add 2 and 3: ${toText(await client.tools.call('add', { a: 2, b: 3 }))}`);
await client.close();
await auth.signOut();
