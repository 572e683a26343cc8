/** The demo as `npm start` runs it, without npm and the setup. */
import { root } from '../architecture/source-tree.ts';

export const demoArgs: readonly string[] = ['--import', 'tsx', 'examples/demo/main.ts'];

/** `npm test` sets this, so that tsx reads the built package and not the sources, which takes half the time. */
const { TSX_TSCONFIG_PATH } = process.env;
const built = TSX_TSCONFIG_PATH === undefined ? {} : { TSX_TSCONFIG_PATH };

/** On standard streams, for `connect`. */
export const demoOnStdio = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [...demoArgs, '--stdio'],
  cwd: root,
  env: { ...built, ...env },
});
