/** The page of the inspector with a capture of 100,000 messages, in Chromium: opening, frames while scrolling, filters, search, moments, memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { tsImport } from 'tsx/esm/api';
import { table, threeFigures } from '../lib/report.mjs';
import { quantile } from '../lib/statistics.mjs';
import { filter, moveTo, scroll, watchStates } from './in-page.mjs';

const messages = Number(process.env.BENCH_MESSAGES ?? 100_000);
const frames = 600;
const moments = 50;
const repeats = 10;

export async function measure(print) {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    print('Skipped: there is no Chromium in the path.');
    return { skipped: 'no Chromium' };
  }
  const { longCapture, seededNumbers } = await tsImport('../../test/inspector/many/long-capture.ts', import.meta.url);
  const capture = longCapture(messages);
  const backend = fork(new URL('./backend.mjs', import.meta.url));
  const [{ url }] = await once(backend, 'message');
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(watchStates);
    await page.goto(url);
    const load = loadavg()[0];
    const result = { messages, load, version: browser.version(), ...(await figures(page, capture, seededNumbers(7))) };
    result.pageMb = await heapOf(page);
    backend.send('usage');
    const [usage] = await once(backend, 'message');
    show(print, { ...result, backend: usage });
    return { ...result, backend: usage };
  } finally {
    await browser.close();
    backend.kill();
  }
}

const findChromium = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
    .find((path) => existsSync(path));

async function figures(page, { events, text }, below) {
  const openMs = await opening(page, text, `${messages} of ${events.length} rows`);
  const { times, rows } = await page.evaluate(scroll, frames);
  const kinds = { field: 'Which rows', event: 'change' };
  const texts = { field: 'Search the timeline', event: 'input' };
  const counted = (matches) => events.filter(matches).length;
  const run = (order) => repeated(page, order);
  return {
    openMs,
    frameMs: times,
    rows,
    errorsMs: await run({
      ...kinds,
      value: 'errors',
      rest: 'messages',
      restCount: messages,
      expected: counted(isError),
    }),
    methodMs: await run({
      ...texts,
      value: 'logging/setlevel',
      rest: '',
      restCount: messages,
      // A response has the method of its request.
      expected: 2 * counted(({ m }) => m?.method === 'logging/setLevel'),
    }),
    textMs: await run({
      ...texts,
      value: 'unknown tool: missing',
      rest: '',
      restCount: messages,
      expected: counted(({ m }) => m?.error !== undefined),
    }),
    // It is behind what a row shows: the backend finds it, after a pause for more letters.
    searchMs: await run({ ...texts, value: '"server-3","version"', rest: '', restCount: messages, expected: 1 }),
    momentMs: await scrub(page, events.length, () => 1 + below(events.length)),
  };
}

const isError = ({ m }) => m?.error !== undefined || m?.result?.isError === true;

async function opening(page, text, shown) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-bench-inspector-'));
  try {
    const file = join(folder, 'many.mcp.ndjson');
    await writeFile(file, text);
    const began = performance.now();
    await page.getByLabel('Capture', { exact: true }).setInputFiles(file);
    await page.getByText(shown).waitFor({ timeout: 300_000 });
    return performance.now() - began;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Sets a filter and takes it back, in turn. */
async function repeated(page, { field: label, event, value, rest, restCount, expected }) {
  const times = [];
  for (let n = 0; n < repeats; n++) {
    times.push(await page.evaluate(filter, { label, event, value, expected }));
    await page.evaluate(filter, { label, event, value: rest, expected: restCount });
  }
  return times;
}

/** The moment moves from row to row: all rows are shown. */
async function scrub(page, rows, next) {
  await page.getByLabel('Which rows').selectOption('all');
  await page.getByText(`${rows} rows`, { exact: true }).waitFor();
  const times = [];
  for (let n = 0; n < moments; n++) times.push(await page.evaluate(moveTo, next()));
  return times;
}

async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
}

function show(print, { version, load, openMs, rows, pageMb, backend, ...times }) {
  const row = (name, list) => [name, ...[0.5, 0.95, 1].map((q) => threeFigures(quantile(list, q)))];
  print(
    `### A capture of ${messages.toLocaleString('en-US')} messages in Chromium ${version}, load ${load.toFixed(1)}`,
  );
  print(
    table(
      ['milliseconds', 'median', '95 of 100', 'longest'],
      [
        row(`frame while scrolling through all rows in ${frames} frames`, times.frameMs),
        row('filter by kind (errors) until it is shown', times.errorsMs),
        row('filter by method until it is shown', times.methodMs),
        row('filter by text until it is shown', times.textMs),
        row('search of all texts, with its pause of 200 ms', times.searchMs),
        row('state at a random moment, the first included', times.momentMs),
      ],
    ),
  );
  print(
    table(
      ['', ''],
      [
        ['opening the file until all rows are listed, s', threeFigures(openMs / 1000)],
        ['rows in the document while scrolling', String(rows)],
        ['heap of the page, MB', threeFigures(pageMb)],
        ['memory of the backend, MB', threeFigures(backend.memoryMb)],
        ['processor time of the backend, s', threeFigures(backend.cpuMs / 1000)],
      ],
    ),
  );
}
