#!/usr/bin/env node
/** `npm create tenon DIR [-- OPTIONS]`: the command `tenon init`, with the same words and options. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const { bin } = require('tenon/package.json');
const program = require.resolve('tenon/package.json').replace(/package\.json$/, bin.tenon);
process.argv.splice(2, 0, 'init');
await import(pathToFileURL(program).href);
