/** A startup snapshot of Node holds a program as it is when all its modules have run. What it serves begins when it is started from there. */

/** By the command line: asking Node itself loads a module that no other start needs. */
export const isBuildingSnapshot = (): boolean =>
  process.execArgv.some((option) => option.startsWith('--build-snapshot'));

/** Has a function run at each start from the snapshot that is being built. */
export function atStart(run: () => void): void {
  process.getBuiltinModule('node:v8').startupSnapshot.setDeserializeMainFunction(run);
}
