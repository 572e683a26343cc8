/** The smallest server on stdio, ours, with zod. */
import * as z from 'zod';
import { createServer, serveStdio, tool } from '../../dist/stdio.js';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Add', inputSchema }, ({ a, b }) => String(a + b));
serveStdio(createServer({ name: 'minimal', version: '1.0.0', tools: { add } }));
