/** A server with one tool, ours, its schema by hand: the size of Tenon without a schema library. */
import { content, createServer, tool } from 'tenon/server';

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] };
const isNumbers = (value) => typeof value?.a === 'number' && typeof value?.b === 'number';
const inputSchema = {
  '~standard': {
    version: 1,
    vendor: 'by-hand',
    validate: (value) => (isNumbers(value) ? { value } : { issues: [{ message: 'a and b must be numbers' }] }),
    jsonSchema: { input: () => numbers, output: () => numbers },
  },
};
const add = tool({ description: 'Add', inputSchema }, ({ a, b }) => content({ type: 'text', text: String(a + b) }));
const server = createServer({ name: 'minimal', version: '1.0.0', tools: { add } });

export function open(send) {
  let receive;
  server.accept({ state: 'open', send, close() {}, open: ({ onMessage }) => (receive = onMessage) });
  return receive;
}
