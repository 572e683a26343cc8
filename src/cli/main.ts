#!/usr/bin/env node
/** The program `tenon`. */
import process from 'node:process';
import { nodeProblem } from '../node/process/node-version.ts';
import type { KeeperOrder } from './io/io.ts';

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
  // Not before: on an older Node they may not even load.
  const [{ version }, { run }, { processIo }] = await Promise.all([
    import('../protocol/generated/version.ts'),
    import('./run.ts'),
    import('./terminal/process-io.ts'),
  ]);
  process.exitCode = await run(args, processIo(startKeeper), version);
}
