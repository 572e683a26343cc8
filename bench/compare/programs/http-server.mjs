/** A server over HTTP with the library of a checkout: `http-server.mjs MODE TOOLS ROOT plain`, or `everything`. */
import { announce, hasSessions, tools } from '../../http/servers/announce.mjs';
import { openLibrary } from '../library.mjs';

const [, , , , root, kind] = process.argv;
const library = await openLibrary(root);
const server = kind === 'everything' ? library.createEverything(tools) : library.createServer(tools);
announce((await library.serveHttp(server, hasSessions)).port);
