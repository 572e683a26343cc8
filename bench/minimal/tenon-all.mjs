/** The smallest server on stdio, ours, its schema by hand, imported from the entry point with all of Tenon. */
import { createServer, serveStdio, tool } from '../../dist/node.js';

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
const add = tool({ description: 'Add', inputSchema }, ({ a, b }) => String(a + b));
serveStdio(createServer({ name: 'minimal', version: '1.0.0', tools: { add } }));
