/** Our server with everything on: three middlewares, a timeout for each call, and handlers that use the signal. */
import { createServer, tool } from '../../dist/node.js';
import { handlerOf, middlewares, timeoutMs } from './middlewares.mjs';
import { card, tools } from './tools.mjs';

const defined = ({ name, description, schema, run }) => [
  name,
  tool({ description, inputSchema: schema, timeoutMs }, handlerOf(run)),
];

const definition = { ...card, tools: Object.fromEntries(tools.map(defined)) };

export const createEverything = () => createServer(definition, { middleware: middlewares });
