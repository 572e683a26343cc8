/** Ours, as built, plain. Its setting is how many sessions there may be. */
import { createServer, serveHttp, tool } from '../../../dist/node.js';
import { card } from '../../lib/tools.mjs';
import { announce, hasSessions, tools } from './announce.mjs';

const { maxSessions = 10_000 } = JSON.parse(process.argv[4] ?? '{}');
const ready = ({ name, description, schema, run }) => [name, tool({ description, inputSchema: schema }, run)];

const server = createServer({ ...card, tools: Object.fromEntries(tools.map(ready)) });
announce((await serveHttp(server, { port: 0, sessions: hasSessions ? { maxCount: maxSessions } : false })).port);
