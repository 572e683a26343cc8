#!/usr/bin/env node
/** The program `tenon`. */
import { createRequire } from 'node:module';
import process from 'node:process';
import { run } from './run.ts';
import { processIo } from './terminal/process-io.ts';

const { version } = createRequire(import.meta.url)('tenon/package.json') as { readonly version: string };

const args = process.argv.slice(2);
if (args[0] === '--keeper') {
  const { runKeeper } = await import('./keeper/keeper-process.ts');
  await runKeeper();
} else {
  process.exitCode = await run(args, processIo(), version);
}
