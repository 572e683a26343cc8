/** What a connection costs: the time until it can be used, and the heap that lives while it is idle. Run with --expose-gc. */
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

/** One collection starts finalisers, the next collects what they let go. */
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
