/** The command line as a program of its own, for what one process cannot show. */
import { fileURLToPath } from 'node:url';

/** From any folder. */
const tsx = import.meta.resolve('tsx');
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** `npm run test:system` has built the package, which starts in a fraction of the time. */
const isBuilt = process.env.TSX_TSCONFIG_PATH !== undefined;

/** A command that `connect` and `spawn` start. */
export const program = (...args: readonly string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [...(isBuilt ? [at('dist/cli.js')] : ['--import', tsx, at('src/cli/main.ts')]), ...args],
});
