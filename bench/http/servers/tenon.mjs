/** Ours, as built, plain. */
import { createServer, serveHttp, tool } from '../../../dist/node.js';
import { card } from '../../lib/tools.mjs';
import { announce, hasSessions, tools } from './announce.mjs';

const ready = ({ name, description, schema, run }) => [name, tool({ description, inputSchema: schema }, run)];

const server = createServer({ ...card, tools: Object.fromEntries(tools.map(ready)) });
announce((await serveHttp(server, { port: 0, sessions: hasSessions ? {} : false })).port);
