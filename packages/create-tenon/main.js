#!/usr/bin/env node
/** `npm create tenon DIR [-- OPTIONS]`: the command `tenon init`, with the same words and options. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , ...given] = process.argv;
const example = 'npm create tenon weather';
const problem = given.length === 0 ? `The folder is missing: ${example}` : keptByNpm();

if (problem !== undefined) {
  process.stderr.write(`create-tenon: ${problem}\n`);
  process.exitCode = 2;
} else {
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(`npm create tenon DIR [-- OPTIONS] runs this command:\n`);
  }
  const require = createRequire(import.meta.url);
  const { bin } = require('tenon/package.json');
  const program = require.resolve('tenon/package.json').replace(/package\.json$/, bin.tenon);
  process.argv.splice(2, 0, 'init');
  await import(pathToFileURL(program).href);
}

/** npm does not pass on options that are not behind `--`: it puts them into the environment, and their values among the words. */
function keptByNpm() {
  const kept = ['template', 'name'].find(
    (name) => process.env[`npm_config_${name}`] !== undefined && !given.some((word) => word.startsWith(`--${name}`)),
  );
  if (kept === undefined) return undefined;
  return `npm did not pass --${kept} on. Write -- before options: ${example} -- --${kept} ${kept === 'name' ? 'weather' : 'http'}`;
}
