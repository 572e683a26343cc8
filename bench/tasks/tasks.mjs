/** What tasks cost on each store, beside jobs of BullMQ on the same Redis. */
import { loadavg } from 'node:os';
import { short, table, threeFigures } from '../lib/report.mjs';
import { median, quantile } from '../lib/statistics.mjs';
import { isServer, prepareStore, storeNames } from '../stores/subjects.mjs';
import { openBullMq } from './bullmq.mjs';
import { leaseMs, timeToResume } from './lost-workers.mjs';
import { openTenon } from './tenon.mjs';

/** A part of everything takes less time while others use the machine: `BENCH_SHARE=0.1`. */
const share = Number(process.env.BENCH_SHARE ?? 1);
const part = (count) => Math.max(200, Math.round(count * share));
const together = 64;

const tenonOn = (store) => ({ name: `Tenon, ${store}`, subject: 'Tenon', store, open: openTenon });
const bullMq = { name: 'BullMQ, Redis', subject: 'BullMQ', store: 'Redis', open: openBullMq };

/** Those of one store take turns, and each has so many. */
const subjectsOf = (store) => (store === 'Redis' ? [tenonOn(store), bullMq] : [tenonOn(store)]);
const turns = 3;

const loads = [
  ['empty', 'no steps'],
  ['steps', '3 steps'],
];

export async function measure(print) {
  const rates = [];
  const waits = [];
  for (const store of storeNames) {
    const prepared = await prepareStore(store);
    const opened = [];
    for (const subject of subjectsOf(store))
      opened.push({ name: subject.name, store, ...(await subject.open(prepared.address)) });
    try {
      for (const [load, title] of loads)
        for (const [index, slices] of (await takeTurns(opened, load, part(6000), prepared)).entries())
          rates.push({ name: opened[index].name, store, title, ...mediansOf(slices) });
      for (const each of opened) waits.push({ name: each.name, ...(await latencies(each, part(500))) });
    } finally {
      for (const each of opened) await each.close();
      await prepared.close();
    }
  }
  print(`### Tasks, ${together} created at once, 32 run at once, by one process; medians of ${turns} turns`);
  print(
    table(
      ['', 'steps', 'tasks a second', 'CPU µs of the process', 'CPU µs of the store', 'commands to it', 'load'],
      rates.map(({ name, store, title, perSecond, cpuMicros, storeMicros, commands, load }) => [
        name,
        title,
        short(perSecond),
        threeFigures(cpuMicros),
        isServer(store) ? threeFigures(storeMicros) : '',
        isServer(store) ? threeFigures(commands) : '',
        load.toFixed(1),
      ]),
    ),
  );
  print('### One task at a time, milliseconds: median (95 %)');
  print(
    table(
      ['', 'plain call', 'task, until its result is stored', 'from an answer to the result'],
      waits.map(({ name, plain, task, answer }) => [name, shown(plain), shown(task), shown(answer)]),
    ),
  );
  const resumed = await measureLost(print);
  return { rates, waits, resumed };
}

/** The slices of each subject. */
async function takeTurns(opened, load, count, prepared) {
  const slices = opened.map(() => []);
  for (let turn = 0; turn < turns; turn++)
    for (const [index, each] of opened.entries())
      slices[index].push(await rate(each, load, Math.ceil(count / turns), prepared));
  return slices;
}

const mediansOf = (slices) =>
  Object.fromEntries(Object.keys(slices[0]).map((figure) => [figure, median(slices.map((slice) => slice[figure]))]));

async function rate(opened, load, count, store) {
  await batch(opened, load, Math.ceil(count / 4));
  const before = { ...store.usage(), own: process.cpuUsage(), at: performance.now() };
  await batch(opened, load, count);
  const ms = performance.now() - before.at;
  const { user, system } = process.cpuUsage(before.own);
  const after = store.usage();
  return {
    perSecond: (count / ms) * 1000,
    cpuMicros: (user + system) / count,
    storeMicros: ((after.cpuMs - before.cpuMs) / count) * 1000,
    commands: (after.commands - before.commands) / count,
    load: loadavg()[0],
  };
}

async function batch({ create, finished }, load, count) {
  let next = 0;
  const all = [];
  const producer = async () => {
    while (next++ < count) all.push(finished(await create(load)));
  };
  await Promise.all(Array.from({ length: together }, producer));
  await Promise.all(all);
}

async function latencies({ create, finished, parked, resume, plain }, count) {
  const times = { plain: [], task: [], answer: [] };
  const timed = async (list, run) => {
    const began = performance.now();
    await run();
    list.push(performance.now() - began);
  };
  for (let n = 0; n < count; n++) {
    if (plain !== undefined) await timed(times.plain, plain);
    await timed(times.task, async () => finished(await create('empty')));
    const id = await create('waits');
    await parked(id);
    await timed(times.answer, async () => {
      await resume(id);
      await finished(id);
    });
  }
  return times;
}

async function measureLost(print) {
  const found = [];
  for (const { name, subject, store } of storeNames.flatMap(subjectsOf))
    if (store !== 'memory') found.push({ name, times: await timeToResume({ store, subject }, 5) });
  print(`### A process is killed while it runs a task: milliseconds until another one runs it, lease ${leaseMs} ms`);
  print(
    table(
      ['', 'median', 'shortest', 'longest'],
      found.map(({ name, times }) => [name, median(times), Math.min(...times), Math.max(...times)].map(rounded)),
    ),
  );
  return found;
}

const rounded = (value) => (typeof value === 'number' ? String(Math.round(value)) : value);
const shown = (times) =>
  times.length === 0 ? '' : `${threeFigures(median(times))} (${threeFigures(quantile(times, 0.95))})`;
