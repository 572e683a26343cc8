/** Against what the processor time of a call is measured: tools, sessions, rules, principals, stored tasks, nodes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../../dist/auth.js';
import { connections, createDriver } from '../http/driver.mjs';
import { loads, requestsOf } from '../http/loads.mjs';
import { start } from '../http/subjects.mjs';
import { isServer, storeNames } from '../stores/subjects.mjs';
import { openNodes } from './nodes.mjs';
import { openTasks } from './tasks.mjs';

const pace = { rounds: 20, sliceMs: 150, warmMs: 500 };
const shortPace = { rounds: 2, sliceMs: 100, warmMs: 100 };
/** The tasks that are created while it is measured must stay few beside those that are stored. */
const taskPace = { rounds: 20, sliceMs: 20, warmMs: 150 };
/** Nodes share the core, so each gets its part of the warm-up. */
const nodePace = { ...pace, warmMs: 6000 };

const call = loads[0];
const inSessions = loads[2];

/** What one slice sends is too little to reach all sessions or principals, so slices take turns with so many of them. */
const atOnce = 1000;
const partWarmMs = 400;

/**
 * An axis is `{ title, group, series, sizes, shortSizes, pace, shortPace, open(name, size, folder) }`; `open` resolves with
 * a subject for `alternate` that has `close`. A group is a panel of the plot, a series a line in it.
 */
export const axes = [
  axis('tools', [100, 1000, 10_000], (name, size) => openServer(name, 'tenon', [{ ...call, tools: size }])),
  axis('sessions', [100, 1000, 10_000], (name, size) => {
    const loads = parts(size).map((sessions) => ({ ...inSessions, sessions, ids: atOnce }));
    return openServer(name, 'tenon', loads, { maxSessions: 4 * size });
  }),
  axis('rules', [10, 100, 1000], async (name, size, folder) => {
    const { loads, keys } = await withKeys(1, join(folder, `${name}.json`));
    return openServer(name, 'tenon-guarded', loads, { keys, policy: size });
  }),
  axis('principals', [100, 1000, 10_000], async (name, size, folder) => {
    const { loads, keys } = await withKeys(size, join(folder, `${name}.json`));
    return openServer(name, 'tenon-guarded', loads, { keys, policy: 10, limits: true });
  }),
  ...storeNames.map((store) => ({
    ...axis('stored tasks', [1000, 10_000, 100_000], (name, size) => openTasks(name, store, size), store),
    pace: taskPace,
  })),
  ...storeNames.filter(isServer).map((store) => ({
    ...axis('nodes', [1, 2, 3], (name, size) => openNodes(name, store, size), store),
    shortSizes: [1, 2],
    pace: nodePace,
  })),
];

function axis(group, sizes, open, series) {
  const title = series === undefined ? group : `${group}, ${series}`;
  return { title, group, series, sizes, shortSizes: sizes.slice(0, 2).map((size) => size / 10), pace, shortPace, open };
}

/** A number as parts of at most `atOnce`. */
function parts(size) {
  const whole = Array.from({ length: Math.floor(size / atOnce) }, () => atOnce);
  return size % atOnce === 0 ? whole : [...whole, size % atOnce];
}

/** A load for each part of the principals, and the file of their keys: too many for an argument of a program. */
async function withKeys(size, file) {
  const made = await Promise.all(Array.from({ length: size }, generateApiKey));
  writeFileSync(file, JSON.stringify(made.map(({ id, hash }, n) => ({ id, hash, subject: `user ${n}` }))));
  let used = 0;
  const loads = parts(size).map((count) => {
    const keys = made.slice(used, (used += count));
    const headers = (id) => ({ authorization: `Bearer ${keys[id % count].key}` });
    return { ...call, ids: atOnce, headers };
  });
  return { loads, keys: file };
}

/** One server; slices take turns with its loads. */
async function openServer(name, file, loads, settings = {}) {
  const server = await start(name, file, loads[0], [], settings);
  try {
    const drivers = [];
    for (const load of loads) drivers.push(createDriver(server, await requestsOf(load, server), connections));
    // The first call of a session or principal costs more than those that follow.
    if (drivers.length > 1) for (const drive of drivers) await drive(partWarmMs);
    let turn = 0;
    return { name, close: server.close, slice: (ms) => drivers[turn++ % drivers.length](ms) };
  } catch (error) {
    server.close();
    throw error;
  }
}
