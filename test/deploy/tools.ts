/** The linters and schemas that `npm run test:long` installs for the tests of the recipes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/source-tree.ts';

const folder = join(root, '.tenon/deploy');
const lock = join(root, 'test/deploy/tools/package-lock.json');

/** Why they cannot run, or `undefined`. */
export function whyNoDeployTools(): string | undefined {
  const stamp = join(folder, 'node_modules/.tenon-lock');
  const isInstalled = existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8');
  return isInstalled ? undefined : 'the tools of the recipes are not installed: `npm run test:long` does that';
}

/** The path of an installed package, or of a file in it. */
export const deployTool = (path: string): string => join(folder, 'node_modules', path);
