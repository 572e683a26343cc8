/** Where a server spends its time: `node bench/http/profile.mjs tenon 0` prints functions by their own time, for a load by its index in `loads.mjs`; `… tenon-guarded 0 policy,limits,trace,audit` with these layers. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../dist/auth.js';
import { lifecycles } from '../lib/lifecycles.mjs';
import { onDriverCore } from '../lib/pinning.mjs';
import { printProfile } from '../lib/profile.mjs';
import { connections, createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';
import { start } from './subjects.mjs';

const [file = 'tenon', place = '0', layers] = process.argv.slice(2);
const { id, key, hash } = await generateApiKey();
const load = {
  ...loads[Number(place)],
  headers: () => (layers === undefined ? {} : { authorization: `Bearer ${key}` }),
};
const given = Object.fromEntries((layers ?? '').split(',').map((name) => [name, true]));
const audit = given.audit && join(mkdtempSync(join(tmpdir(), 'bench-profile-')), 'audit');
const settings = layers === undefined ? undefined : { ...given, audit, keys: [{ id, hash, subject: 'ada' }] };

async function startProfiled(options) {
  const server = await start(file, file, load, options, settings);
  const slice = createDriver(server, await requestsOf(load, server), connections);
  return { slice, end: server.end, close: server.close };
}

const title = `${file}, ${load.title}, ${lifecycles[load.lifecycle].revision}`;
await onDriverCore(() => printProfile(title, startProfiled));
