/** Checks per second of whole messages: our checkers compared with other validators. */
import { isolate } from '../lib/isolation.mjs';
import { percent, short, table } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { messages } from './messages.mjs';

const pace = { rounds: 40, sliceMs: 30, warmMs: 400 };

const module = (name) => new URL(`./subjects/${name}.mjs`, import.meta.url);
const ours = 'tenon';
const yardstick = 'JSON.parse';

const subjects = {
  [ours]: module('tenon'),
  'tenon again (control)': module('tenon'),
  [yardstick]: module('parse'),
  'typebox, compiled at start': module('typebox'),
  'ajv, compiled at start': module('ajv'),
  'ajv standalone': module('ajv-standalone'),
  'zod 4, compiled at start, validate': module('zod-compiled'),
  'zod 4, safeParse': module('zod'),
  'official SDK v1, safeParse': module('sdk-v1'),
  'official SDK v2, safeParse': module('sdk-v2'),
};

export async function measure(print) {
  const result = [];
  for (const message of messages) {
    const { rows, skipped } = await compare(message);
    const bytes = Buffer.byteLength(message.text);
    result.push({ title: message.title, bytes, pace, rows, skipped });
    print(`### ${message.title} (${bytes} bytes)`);
    print(show(rows));
    for (const { name, skipped: reason } of skipped) print(`skipped: ${name}: ${reason}`);
  }
  return result;
}

async function compare(message) {
  const started = [];
  try {
    for (const [name, file] of Object.entries(subjects)) started.push(await isolate(name, file, message));
    const skipped = started.filter((subject) => subject.skipped !== undefined);
    const present = started.filter((subject) => subject.skipped === undefined);
    const slices = await alternate(present, pace);
    return { rows: summarize(slices, [yardstick, ours]), skipped };
  } finally {
    for (const subject of started) subject.close?.();
  }
}

function show(rows) {
  const heads = ['subject', 'checks/s', '90th percentile', 'time of JSON.parse', 'time of ours', 'quartiles'];
  return table(
    heads,
    rows.map(({ name, perSecond, timeOf }) => [
      name,
      short(perSecond.median),
      short(perSecond.p90),
      percent(timeOf[yardstick].median),
      `${short(timeOf[ours].median)} x`,
      `${short(timeOf[ours].low)} to ${short(timeOf[ours].high)}`,
    ]),
  );
}
