#!/usr/bin/env node
/** The command `tenon` of a checkout: runs the command line from its sources, so that it needs no build. */
import { spawn } from 'node:child_process';
import { inRoot } from './command.mjs';

// The folder of the user has no tsx.
const args = ['--import', import.meta.resolve('tsx'), inRoot('src/cli/main.ts'), ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { stdio: 'inherit' });
// A terminal sends SIGINT to both; the exit code is the one of the command.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
