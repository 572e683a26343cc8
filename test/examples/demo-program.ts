/** The demo as `npm start` runs it, without npm and the setup. */
import { root } from '../architecture/source-tree.ts';

export const demoArgs: readonly string[] = ['--import', 'tsx', 'examples/demo/main.ts'];

/** On standard streams, for `connect`. */
export const demoOnStdio = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [...demoArgs, '--stdio'],
  cwd: root,
  env,
});
