/** The entry points of the package and the built file of each. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const repository = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', repository), 'utf8'));

/** What an application bundled for the web resolves to: the last condition with code. */
function codeOf(target) {
  if (typeof target === 'string') return target.endsWith('.js') && !target.includes('*') ? target : undefined;
  return Object.values(target)
    .map(codeOf)
    .findLast((file) => file !== undefined);
}

/** `tenon/server` to the path of its file. */
export const entryFiles = Object.fromEntries(
  Object.entries(manifest.exports)
    .map(([subpath, target]) => [manifest.name + subpath.slice(1), codeOf(target)])
    .filter(([, file]) => file !== undefined)
    .map(([name, file]) => [name, fileURLToPath(new URL(file, repository))]),
);

const patterns = (packages = {}) => Object.keys(packages).flatMap((name) => [name, `${name}/*`]);

/** The run-time dependencies of the package, as import patterns. */
export const dependencies = patterns(manifest.dependencies);

/** What an application installs itself where it needs it. */
export const peers = patterns(manifest.peerDependencies);
