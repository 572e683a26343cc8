#!/usr/bin/env node
/** The program `tenon`. */
import process from 'node:process';
import { version } from '../protocol/generated/version.ts';
import { processIo } from './io/process-io.ts';
import { run } from './run.ts';

const args = process.argv.slice(2);
if (args[0] === '--keeper') {
  const { runKeeper } = await import('./answers/keeper/keeper-process.ts');
  await runKeeper();
} else {
  process.exitCode = await run(args, processIo(), version);
}
