/** What calls go through: nothing, our gateway, or another program in front of the same server over stdio. */
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startHttpServer } from '../lib/http-server.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { nodeCommand } from '../lib/pinning.mjs';

export const direct = 'direct';

const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const behind = fileOf('../stdio/servers/tenon.mjs');
const both = ['session', 'exchange'];

/** The server itself, over HTTP. */
const startDirect = (name, lifecycle) => {
  const mode = lifecycle === 'session' ? 'sessions' : 'stateless';
  return startHttpServer(name, nodeCommand([fileOf('../http/servers/tenon.mjs'), mode, '2', '{}']));
};

const startFront = (name, lifecycle) =>
  startHttpServer(name, nodeCommand([fileOf('./front.mjs'), lifecycles[lifecycle].revision, behind]));

/** With its own defaults, but without its log. It speaks the older version to its upstream by default. */
async function startMcpProxy(name, lifecycle) {
  const port = await freePort();
  const upstream = lifecycle === 'session' ? 'legacy' : 'modern';
  const own = ['--port', String(port), '--server', 'stream', '--upstreamProtocol', upstream];
  const program = fileOf('../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
  return startHttpServer(name, nodeCommand([program, ...own, '--', process.execPath, behind]), { port });
}

/** Its stateless mode starts a process for each call. */
async function startSupergateway(name) {
  const port = await freePort();
  const own = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', String(port)];
  const program = fileOf('../node_modules/supergateway/dist/index.js');
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(behind)}`;
  return startHttpServer(name, nodeCommand([program, '--stdio', command, ...own]), { port });
}

/** `lifecycles` are those that it takes part in: supergateway starts a process for each call without a session. */
export const subjects = [
  { name: direct, start: startDirect, lifecycles: both },
  { name: `${direct}, again (control)`, start: startDirect, lifecycles: both },
  { name: 'tenon/gateway', start: startFront, lifecycles: both },
  { name: 'mcp-proxy', start: startMcpProxy, lifecycles: both },
  { name: 'supergateway', start: startSupergateway, lifecycles: ['session'] },
];

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
