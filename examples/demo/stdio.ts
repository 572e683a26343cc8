/** The demo on standard input and output. The first import keeps everything but the protocol from standard output. */
import { serveStdio } from 'tenon/stdio';
import { createDemo } from './server.ts';

serveStdio(await createDemo());
