/** The process of one subject: prepares it once, then works for as long as each message says. */

/** Long enough that reading the clock costs nothing beside the work. */
const batchMs = 0.5;

let batch;
let unit = 1;
let batchSize = 1;

/** `batch(n)` does n times `unit` operations, now or by a promise, and throws when one gives a wrong answer. */
async function prepare({ module, job }) {
  const prepared = await (await import(module)).prepare(job);
  if (prepared.skipped !== undefined) return { skipped: prepared.skipped };
  ({ batch, unit = 1 } = prepared);
  return {};
}

async function slice(ms) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let now = started;
  let count = 0;
  while (now - started < ms) {
    // A batch that is done at once is not made to wait for a turn.
    const pending = batch(batchSize);
    if (pending !== undefined) await pending;
    count += batchSize * unit;
    const later = performance.now();
    if (later - now < batchMs) batchSize *= 2;
    else if (later - now > batchMs * 8 && batchSize > 1) batchSize /= 2;
    now = later;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { count, ms: now - started, cpuMs: (user + system) / 1000 };
}

process.on('message', async (question) => {
  try {
    process.send(question.prepare ? await prepare(question.prepare) : await slice(question.slice));
  } catch (error) {
    process.send({ failed: error.stack });
  }
});
