/** Serves on standard input and output, for clients that start the server: see .mcp.json. */
import { serveStdio } from 'tenon/stdio';
import server from './server.ts';

serveStdio(server);
