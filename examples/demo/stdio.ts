/** The demo on standard input and output. The first import redirects all other output away from standard output. */
import { serveStdio } from 'tenon/stdio';
import { createDemo } from './server.ts';

serveStdio(await createDemo());
