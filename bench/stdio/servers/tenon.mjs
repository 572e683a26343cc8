/** Ours, as built, plain. */
import { createServer, serveStdio, tool } from '../../../dist/node.js';
import { add, card, echo } from '../../lib/tools.mjs';

const defined = ({ description, schema, run }) => tool({ description, inputSchema: schema }, run);

serveStdio(createServer({ ...card, tools: { add: defined(add), echo: defined(echo) } }));
