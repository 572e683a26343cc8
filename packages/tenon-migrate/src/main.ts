#!/usr/bin/env node
/** `npx tenon-migrate PATH…`: converts servers of the official SDK to Tenon, and reports the rest. */
import { readFileSync } from 'node:fs';
import { runCommand } from './command.ts';

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
process.exitCode = await runCommand(process.argv.slice(2), {
  folder: process.cwd(),
  version: (JSON.parse(manifest) as { version: string }).version,
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});
