/** How an example is run with `tenon` as it is built: by Node itself where it reads TypeScript without a warning, by tsx elsewhere. */
import { inRoot } from './command.mjs';

const readsItself = Number.parseInt(process.versions.node, 10) >= 24;

/** For Node, before the file. */
export const args = readsItself ? [] : ['--import', 'tsx'];

/** The paths that lead the tests to the sources are left out here. */
export const env = { TSX_TSCONFIG_PATH: inRoot('examples/tsconfig.run.json') };
