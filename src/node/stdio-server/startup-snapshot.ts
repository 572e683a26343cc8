/** A startup snapshot of Node holds a program as it is when all its modules have run. What it serves begins when it is started from there. */
import { TenonError } from '../../jsonrpc/errors.ts';

/** Of those that build an executable, only one with a snapshot in it runs the program. */
const builds = /^--(build-snapshot|experimental-sea-config|build-sea)/;

/** By the command line: asking Node itself loads a module that no other start needs. */
export const isBuildingSnapshot = (): boolean => process.execArgv.some((option) => builds.test(option));

let isTaken = false;

/** Has a function run at each start from the snapshot that is being built. A snapshot has one. */
export function atStart(run: () => void): void {
  if (isTaken) {
    throw new TenonError('already-open', 'serveStdio(): a startup snapshot serves one connection.', {
      hint: 'Call it once in a program that is put into a snapshot.',
    });
  }
  isTaken = true;
  process.getBuiltinModule('node:v8').startupSnapshot.setDeserializeMainFunction(run);
}
