#!/usr/bin/env node
/** The program `tenon`. */
import process from 'node:process';
import { nodeProblem } from '../node/process/node-version.ts';
import { version } from '../protocol/generated/version.ts';
import type { KeeperOrder } from './io/io.ts';
import { run } from './run.ts';
import { processIo } from './terminal/process-io.ts';

const startKeeper = async (order: KeeperOrder): Promise<void> => {
  const keeper = await import('./keeper/keeper-process.ts');
  await keeper.startKeeper(order);
};

const args = process.argv.slice(2);
const problem = nodeProblem(process.versions);
if (problem !== undefined) {
  process.stderr.write(`tenon: ${problem}\n`);
  process.exitCode = 2;
} else if (args[0] === '--keeper') {
  const keeper = await import('./keeper/keeper-process.ts');
  await keeper.runKeeper();
} else {
  const io = processIo(startKeeper);
  process.exitCode = await run(args, io, version);
  io.done();
}
