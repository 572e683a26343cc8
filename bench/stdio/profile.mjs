/** Where a server spends its time: `node bench/stdio/profile.mjs tenon session [load]` prints functions by their own time. */
import { fileURLToPath } from 'node:url';
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { nodeCommand, onDriverCore } from '../lib/pinning.mjs';
import { printProfile } from '../lib/profile.mjs';
import { createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';

const [file = 'tenon', which = 'session', title = loads[0].title] = process.argv.slice(2);
const load = loads.find((one) => one.title === title);

async function start(options) {
  const path = fileURLToPath(new URL(`./servers/${file}.mjs`, import.meta.url));
  const server = startLineServer(file, nodeCommand([...options, path]));
  await lifecycles[which].open(server);
  const slice = createDriver(server, requestsOf(load, lifecycles[which]), load.inFlight);
  return { slice, end: server.end, close: server.close };
}

await onDriverCore(() => printProfile(`${file}, ${which}, ${title}`, start));
