/** Our gateway, as built, in front of the given program over stdio; both sides speak the given protocol version. */
import { createGateway } from '../../dist/gateway.js';
import { serveHttp } from '../../dist/node.js';
import { announce } from '../http/servers/announce.mjs';

const [version, program] = process.argv.slice(2);
const gateway = createGateway({
  upstreams: { behind: { command: process.execPath, args: [program], protocolVersions: [version] } },
});
// One caller: without a principal each call without a session would have a process of its own.
announce((await serveHttp(gateway.server, { port: 0, authenticate: () => 'bench' })).port);
