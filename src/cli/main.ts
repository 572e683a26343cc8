#!/usr/bin/env node
/** The program `tenon`. */
import { createRequire } from 'node:module';
import process from 'node:process';
import { processIo } from './io/process-io.ts';
import { run } from './run.ts';

const { version } = createRequire(import.meta.url)('tenon/package.json') as { readonly version: string };

process.exitCode = await run(process.argv.slice(2), processIo(), version);
