/** A server with everything on under half its load for twenty minutes: its heap, its handles and its store stay as they are. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '../../dist/auth.js';
import { start } from '../http/subjects.mjs';
import { onDriverCore } from '../lib/pinning.mjs';
import { processorMs } from '../lib/processor-time.mjs';
import { percent, table, threeFigures } from '../lib/report.mjs';
import { prepareStore, storeNames } from '../stores/subjects.mjs';
import { problemsOf } from './flat.mjs';
import { openLoad } from './load.mjs';

const minutes = 20;
const shortMinutes = 0.1;
const maxMinutes = 24 * 60;
const samplesWanted = 20;
const principals = 16;
const minuteMs = 60_000;
/** No session of the load expires between two of its calls. */
const minTtlMs = 15_000;

export function measure(print, { word, short }) {
  const given = word === undefined ? (short ? shortMinutes : minutes) : Number(word);
  if (!(given > 0 && given <= maxMinutes))
    throw new Error(`bench: soak takes a number of minutes up to ${maxMinutes}, not ${word}`);
  return onDriverCore(() => soak(print, given * minuteMs, short));
}

async function soak(print, ms, short) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-soak-'));
  const audit = join(folder, 'audit');
  // SQLite, unless BENCH_STORES names another one.
  const storeName = storeNames.find((name) => name !== 'memory') ?? 'memory';
  const store = await prepareStore(storeName);
  const made = await Promise.all(Array.from({ length: principals }, generateApiKey));
  const keys = made.map(({ id, hash }, n) => ({ id, hash, subject: `user ${n}` }));
  // What is stored for a time expires early enough for new and old to balance before the samples that count.
  const settings = {
    keys,
    policy: 100,
    limits: true,
    trace: true,
    audit,
    store: store.address,
    ttlMs: Math.max(ms / 10, minTtlMs),
  };
  const server = await start('soak', 'tenon-guarded', { sessions: 1, tools: 52 }, ['--expose-gc'], settings);
  try {
    const load = await openLoad(
      server,
      made.map(({ key }) => ({ authorization: `Bearer ${key}` })),
    );
    const full = await pass(server, load, Math.min(10_000, ms / 5));
    const half = full.perSecond / 2;
    print(
      `Everything on: policy, limits, traces, audit log, store (${storeName}), ${principals} principals. ` +
        `Full load: ${threeFigures(full.perSecond)} calls/s, server busy ${percent(full.busy)}; then half of it for ${threeFigures(ms / minuteMs)} minutes.`,
    );
    const samples = [];
    for (let n = 0; n < samplesWanted; n += 1) {
      const passed = await pass(server, load, ms / samplesWanted, half);
      const weight = await server.weigh();
      samples.push({ ...passed, ...weight, store: store.bytes(), audit: bytesUnder(audit) });
      console.error(shown(samples.at(-1), n).join(', '));
    }
    print(show(samples));
    return { storeName, full, ms, samples, problems: short ? [] : problemsOf(samples) };
  } finally {
    server.close();
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

async function pass(server, load, ms, perSecond) {
  const before = processorMs(server.pid);
  const started = performance.now();
  const calls = await load.work(ms, perSecond);
  const took = performance.now() - started;
  return { calls, perSecond: (calls / took) * 1000, busy: (processorMs(server.pid) - before) / took };
}

const bytesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

const megabytes = (bytes) => threeFigures(bytes / 1e6);

const shown = ({ calls, busy, heap, handles, store, audit }, n) => [
  String(n + 1),
  String(calls),
  percent(busy),
  megabytes(heap),
  String(handles),
  megabytes(store),
  megabytes(audit),
];

const show = (samples) =>
  table(['sample', 'calls', 'server busy', 'heap, MB', 'handles', 'store, MB', 'audit log, MB'], samples.map(shown));
