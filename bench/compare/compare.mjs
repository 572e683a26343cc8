/** Compares this checkout with another one, each with its own servers, in alternating slices: what does a change cost? */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connections, createDriver as createHttpDriver } from '../http/driver.mjs';
import { loads as httpLoads, requestsOf as httpRequests } from '../http/loads.mjs';
import { startHttpServer } from '../lib/http-server.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { nodeCommand, onDriverCore } from '../lib/pinning.mjs';
import { percent, short, table } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { createDriver as createLineDriver } from '../stdio/driver.mjs';
import { loads as lineLoads, requestsOf as lineRequests } from '../stdio/loads.mjs';

const here = fileURLToPath(new URL('../..', import.meta.url));
const other = process.env.BENCH_OTHER;
/** Each round starts new processes, to include the differences between processes. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** Only the loads whose titles contain this text. */
const only = process.env.BENCH_ONLY ?? '';
const pace = { rounds: 10, sliceMs: 100, warmMs: 600 };

const before = 'other';
const control = 'other again (control)';
const after = 'this checkout';

export const measure = (print) =>
  onDriverCore(async () => {
    if (other === undefined || !existsSync(join(other, 'dist')))
      throw new Error('bench: set BENCH_OTHER to another checkout that is built (npm run build in it)');
    const subjects = [
      { name: before, root: resolve(other) },
      { name: control, root: resolve(other) },
      { name: after, root: here },
    ];
    const kinds = [...lineKinds(), ...httpKinds()].filter(({ title }) => title.includes(only));
    const results = [];
    for (const { title, open } of kinds) {
      const rows = [];
      for (let round = 0; round < rounds; round += 1) rows.push(await compareOnce(subjects, open));
      const result = { title, control: ratios(rows, control), change: ratios(rows, after), rate: rateOf(rows) };
      results.push(result);
      console.error(`${title}: control ${shown(result.control)}, this checkout ${shown(result.change)}`);
    }
    print(
      `${rounds} rounds, each with new processes; CPU time of a call relative to the other checkout, lowest to highest.`,
    );
    print(show(results));
    return results;
  });

/** Each load once for each of our servers that takes part in it. */
const files = { ours: 'tenon', everything: 'tenon-everything' };
const serversOf = ({ kinds }) => Object.keys(files).filter((kind) => kinds.includes(kind));

const lineKinds = () =>
  lineLoads.flatMap((load) =>
    serversOf(load).flatMap((kind) =>
      Object.values(lifecycles).map((lifecycle) => ({
        title: `stdio, ${load.title}, ${kind}, ${lifecycle.revision}`,
        async open(name, root) {
          const server = startLineServer(name, nodeCommand([join(root, `bench/stdio/servers/${files[kind]}.mjs`)]));
          await lifecycle.open(server);
          return { server, slice: createLineDriver(server, lineRequests(load, lifecycle), load.inFlight) };
        },
      })),
    ),
  );

const httpKinds = () =>
  httpLoads.flatMap((load) =>
    serversOf(load).map((kind) => ({
      title: `HTTP, ${load.title}, ${kind}, ${lifecycles[load.lifecycle].revision}`,
      async open(name, root) {
        const mode = (load.sessions ?? 0) > 0 ? 'sessions' : 'stateless';
        const path = join(root, `bench/http/servers/${files[kind]}.mjs`);
        const server = await startHttpServer(name, nodeCommand([path, mode, String(load.tools)]));
        return { server, slice: createHttpDriver(server, await httpRequests(load, server), connections) };
      },
    })),
  );

async function compareOnce(subjects, open) {
  const started = [];
  try {
    for (const { name, root } of subjects) {
      const { server, slice } = await open(name, root);
      started.push({ name, server, slice });
      await slice(pace.warmMs);
    }
    return summarize(await alternate(started, pace), [before]);
  } finally {
    for (const { server } of started) server.close();
  }
}

const rowOf = (rows, name) => rows.find((row) => row.name === name);

const ratios = (rounds, name) => rounds.map((rows) => rowOf(rows, name).timeOf[before].median).sort((a, b) => a - b);

const rateOf = (rounds) =>
  rounds.map((rows) => rowOf(rows, after).perSecond.median).sort((a, b) => a - b)[rounds.length >> 1];

const shown = (sorted) =>
  `${percent(sorted[sorted.length >> 1])} (${percent(sorted[0])} to ${percent(sorted[sorted.length - 1])})`;

const show = (results) =>
  table(
    ['load', 'calls/s', 'control', 'this checkout'],
    results.map(({ title, rate, control: noise, change }) => [title, short(rate), shown(noise), shown(change)]),
  );
