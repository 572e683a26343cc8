/** The demo on standard input and output. The first import redirects all other output away from standard output. */
import 'tenon/stdio/guard';
import { serveStdio } from 'tenon/stdio';
import { createDemo } from './server.ts';
import { secretsOf, store } from './store.ts';

const guarded = process.argv.includes('--guarded') ? await (await import('./guarded/guard.ts')).guardDemo() : undefined;
if (guarded !== undefined) console.error(`Audit log: ${guarded.folder}`);
const demo = await createDemo(
  { ...(guarded && { guard: guarded.guard }), ...(store && { secrets: secretsOf(store) }) },
  guarded?.resources,
);
serveStdio(demo, store ? { store } : {});
