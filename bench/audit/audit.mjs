/** The audit log: records a second beside a plain append of the same bytes, and the time to verify and search a million records. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditFolder, createAuditKey, searchAudit, verifyAudit } from '../../dist/guard.js';
import { isolate } from '../lib/isolation.mjs';
import { percent, short, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { callStart } from './events.mjs';
import { digestOfFile } from './floor.mjs';

/** A smaller log takes less time while others use the machine. */
const records = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const pace = { rounds: 10, sliceMs: 300, warmMs: 500 };

const plain = 'plain append of the same bytes';
const ours = 'auditFolder';
const jobs = ['os', 'sync'].flatMap((durability) =>
  [1, 64].map((together) => ({
    title: `Appending, durability ${durability}, ${together} at once`,
    durability,
    together,
  })),
);

export async function measure(print) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-bench-audit-'));
  try {
    const appending = [];
    for (const job of jobs) {
      const rows = await compare({ ...job, folder });
      appending.push({ ...job, pace, rows });
      print(`### ${job.title}`);
      print(showAppending(rows));
    }
    const reading = await read(join(folder, 'large'));
    print(`### A log of ${records.toLocaleString('en-US')} records, ${threeFigures(reading.megabytes)} MB`);
    print(showReading(reading.rows));
    return { appending, reading };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(job) {
  const module = (name) => new URL(`./subjects/${name}.mjs`, import.meta.url);
  const started = [];
  try {
    const subjects = { [plain]: 'plain', [`${plain}, again (control)`]: 'plain', [ours]: 'tenon' };
    for (const [name, file] of Object.entries(subjects)) started.push(await isolate(name, module(file), job));
    return summarize(await alternate(started, pace), [plain]);
  } finally {
    for (const subject of started) subject.close?.();
  }
}

const showAppending = (rows) =>
  table(
    ['subject', 'records/s', 'CPU µs per record', 'rate of plain', 'quartiles'],
    rows.map(({ name, perSecond, cpuMicros, rateOf }) => [
      name,
      short(perSecond.median),
      threeFigures(cpuMicros),
      percent(rateOf[plain].median),
      `${percent(rateOf[plain].low)} to ${percent(rateOf[plain].high)}`,
    ]),
  );

/** Writes a log, then reads it in each way. */
async function read(folder) {
  const { privateKey, publicKey } = await createAuditKey();
  const rows = [];
  const timed = async (name, run) => {
    const started = performance.now();
    const found = await run();
    rows.push({ name, ms: performance.now() - started, found });
  };
  let anchor;
  await timed('write it, 1000 at once', async () => {
    const audit = auditFolder(folder, {
      key: privateKey,
      anchor: (checkpoint) => {
        anchor = checkpoint;
      },
    });
    for (let n = 0; n < records; n += 1000)
      await Promise.all(
        Array.from({ length: Math.min(1000, records - n) }, (_, at) => audit.append(callStart(n + at))),
      );
    await audit.close();
  });
  const files = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
  const sizes = await Promise.all(files.map((file) => stat(file)));
  await timed('SHA-256 of the files, for comparison', () => digestOfFile(files));
  await timed('verifyAudit', async () => {
    const result = await verifyAudit(folder, { publicKey, anchor });
    if (!result.valid) throw new Error(result.message);
    return result.records;
  });
  const search = (name, query) =>
    timed(`searchAudit: ${name}`, async () => {
      let found = 0;
      for await (const _ of searchAudit(folder, query)) found++;
      return found;
    });
  await search('one call by its ID', { what: callStart(records - 1).what.callId });
  await search('all records of a principal, 1 of 100', { who: 'user-7', maxRecords: records });
  await search('the same with private values', { who: 'user-7', maxRecords: records, includePrivate: true });
  await search('every record', { maxRecords: 2 * records });
  return { megabytes: sizes.reduce((sum, { size }) => sum + size, 0) / 1e6, rows };
}

const showReading = (rows) =>
  table(
    ['what', 'seconds', 'records/s', 'found'],
    rows.map(({ name, ms, found }) => [name, threeFigures(ms / 1000), short((records / ms) * 1000), found ?? '']),
  );
