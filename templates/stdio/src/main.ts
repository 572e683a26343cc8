#!/usr/bin/env node
/** Serves on standard input and output, for clients that start the server: see .mcp.json. */
// First, so that nothing that a module prints while it loads reaches the client.
import 'tenon/stdio/guard';
import { serveStdio } from 'tenon/stdio';
import server from './server.ts';

serveStdio(server);
