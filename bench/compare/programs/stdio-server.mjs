/** A server over stdio with the library of a checkout: `stdio-server.mjs ROOT plain`, or `everything`. */
import { tools } from '../../lib/tools.mjs';
import { openLibrary } from '../library.mjs';

const [, , root, kind] = process.argv;
const library = await openLibrary(root);
library.serveStdio(kind === 'everything' ? library.createEverything(tools) : library.createServer(tools));
