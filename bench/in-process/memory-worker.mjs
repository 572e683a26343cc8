/** The process that measures the memory of one subject's sessions. */
const sessions = 1000;

/** One collection starts finalizers, the next collects what they release. */
async function heap() {
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

async function weigh() {
  const { connect } = await import(process.argv[2]);
  const job = JSON.parse(process.argv[3]);
  const first = await connect(job);
  if (first.skipped !== undefined) return {};
  await first.call(2, 5);
  const before = await heap();
  const open = [];
  for (let n = 0; n < sessions; n += 1) open.push(await connect(job));
  const bytes = ((await heap()) - before) / sessions;
  // The sessions are still open, so they were not collected.
  if ((await open.at(-1).call(2, 5)) !== '7') throw new Error('a session is closed');
  return { bytes };
}

weigh().then(
  (answer) => process.send(answer),
  (error) => process.send({ failed: error.stack }),
);
