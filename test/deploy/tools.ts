/** The packages that `npm run test:long` installs for the tests of the recipes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/source-tree.ts';

/** The folder with their lock file, by the folder of `.tenon` that they are installed in. */
const sources = {
  deploy: 'test/deploy/tools',
  lambda: 'test/deploy/lambda-runtime',
  frameworks: 'examples/frameworks',
} as const;
type Installed = keyof typeof sources;

/** Why they cannot run, or `undefined`. */
export function whyNotInstalled(name: Installed): string | undefined {
  const stamp = installed(name, '.tenon-lock');
  const lock = join(root, sources[name], 'package-lock.json');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  return isInstalled
    ? undefined
    : `the packages of ${sources[name]} are not installed: \`npm run test:long\` does that`;
}

/** The path of an installed package, or of a file in it. */
export const installed = (name: Installed, path: string): string => join(root, '.tenon', name, 'node_modules', path);
