/** The demo on standard input and output. The first import redirects all other output away from standard output. */
import { serveStdio } from 'tenon/stdio';
import { createDemo } from './server.ts';

const guarded = process.argv.includes('--guarded') ? await (await import('./guarded/guard.ts')).guardDemo() : undefined;
if (guarded !== undefined) console.error(`Audit log: ${guarded.folder}`);
serveStdio(await createDemo(guarded && { guard: guarded.guard }));
