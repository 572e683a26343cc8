/** The demo as `npm start` runs it, without npm and the set-up around it. */
import { join } from 'node:path';
import { root } from '../architecture/source-tree.ts';

const readsTypescript = Number.parseInt(process.versions.node, 10) >= 24;

export const demoArgs: readonly string[] = [...(readsTypescript ? [] : ['--import', 'tsx']), 'examples/demo/main.ts'];

const demoEnv = { TSX_TSCONFIG_PATH: join(root, 'examples/tsconfig.run.json') };

/** On standard streams, for `connect`. */
export const demoOnStdio = (env: Readonly<Record<string, string>> = {}) => ({
  command: process.execPath,
  args: [...demoArgs, '--stdio'],
  cwd: root,
  env: { ...demoEnv, ...env },
});

/** The whole environment, for `spawn`. */
export const demoEnvironment = (env: Readonly<Record<string, string>>) => ({ ...process.env, ...demoEnv, ...env });
