/** Where a server spends its time: `node bench/http/profile.mjs tenon 0` prints functions by their own time, for a load by its index in `loads.mjs`. */
import { lifecycles } from '../lib/lifecycles.mjs';
import { onDriverCore } from '../lib/pinning.mjs';
import { printProfile } from '../lib/profile.mjs';
import { connections, createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';
import { start } from './subjects.mjs';

const [file = 'tenon', place = '0'] = process.argv.slice(2);
const load = loads[Number(place)];

async function startProfiled(options) {
  const server = await start(file, file, load, options);
  const slice = createDriver(server, await requestsOf(load, server), connections);
  return { slice, end: server.end, close: server.close };
}

const title = `${file}, ${load.title}, ${lifecycles[load.lifecycle].revision}`;
await onDriverCore(() => printProfile(title, startProfiled));
