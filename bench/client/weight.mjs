/** The cost of a connection: the time until it is ready, and its live heap while it is idle. Run with --expose-gc. */
const [module, lifecycle, port] = process.argv.slice(2);
const { open } = await import(module);
const count = 200;
const before = 50;
const clients = [];

const openMany = async (n) => {
  const started = performance.now();
  for (let done = 0; done < n; done += 1) clients.push(await open({ lifecycle, port }));
  return (performance.now() - started) / n;
};

/** One collection starts finalizers, the next collects what they release. */
async function heap() {
  for (let n = 0; n < 4; n += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}

await openMany(before);
const empty = await heap();
const ms = await openMany(count);
const bytes = ((await heap()) - empty) / count;
console.log(JSON.stringify({ ms, bytes }));
process.exit();
