/** One node of the cluster: main.ts starts three of them. It needs no other node, only the store and the secrets they share. */
import { serveHttp } from 'tenon';
import { createClusterServer } from './server.ts';

const { NODE_NAME = 'node', PORT = '0', STORE = 'redis://127.0.0.1:6379', SECRET = '' } = process.env;
const service = await serveHttp(createClusterServer(NODE_NAME, [SECRET]), {
  port: Number(PORT),
  store: STORE,
  trustedProxies: ['127.0.0.1'],
  // How long a node may be silent before others close its streams: 15 seconds by default, here short for the tour.
  timeouts: { deadNodeMs: 3000 },
  closeOnSignals: true,
});
console.log(`ready ${service.url}`);
// The process that started it has ended without a signal.
process.once('disconnect', () => process.exit());
