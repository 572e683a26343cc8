/** Ours, as built, plain. */
import { createServer, serveStdio, tool } from '../../../dist/node.js';
import { add, card, echo } from '../../lib/tools.mjs';

const ready = ({ description, schema, run }) => tool({ description, input: schema }, run);

serveStdio(createServer({ ...card, tools: { add: ready(add), echo: ready(echo) } }));
