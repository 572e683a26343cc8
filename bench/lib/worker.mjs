/** The process of one subject: prepares it once, then works for the time in each message. */

/** Long enough that the cost of reading the clock does not matter. */
const batchMs = 0.5;

let batch;
let unit = 1;
let batchSize = 1;

/** `batch(n)` does n times `unit` operations, synchronously or not, and throws on a wrong answer. */
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
    // A synchronous batch does not wait for a turn of the event loop.
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
