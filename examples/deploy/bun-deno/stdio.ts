/** Standard streams: for clients that start the server as a command. */
import 'tenon/stdio/guard';
import { serveStdio } from 'tenon/stdio';
import { server } from './weather.ts';

serveStdio(server);
