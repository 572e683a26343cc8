/** The process of a server with many stored tasks: each operation creates a task, waits for its result and reads it. */
import { openTenon } from '../../tasks/tenon.mjs';

const owners = 100;
/** Copies that are stored at once, and tasks that run at once. */
const together = 64;
const atOnce = 16;
const hourMs = 3_600_000;
/** Limits of a server do not hold for what fills its store. */
const room = { maxLive: Infinity, maxStored: Infinity, maxInShard: Infinity };

export async function prepare({ address, size }) {
  const tenon = await openTenon(address);
  const run = async () => {
    const id = await tenon.create('empty');
    await tenon.finished(id);
    const { status } = await tenon.read(id);
    if (status !== 'completed') throw new Error(`the task is ${status}`);
    return id;
  };
  await fill(tenon.tasks, await run(), size);
  const batch = async (n) => {
    for (let done = 0; done < n; done += 1) await Promise.all(Array.from({ length: atOnce }, run));
  };
  return { unit: atOnce, batch };
}

/** Copies a task that is over, for further owners. */
async function fill(tasks, original, size) {
  const { kind, data } = await tasks.read(original);
  const entries = await tasks.readJournal(original, 0);
  const copy = async (n) => {
    const owner = `owner ${n % owners}`;
    const made = await tasks.create(
      { id: newIdOf(owner), owner, kind, data, entries, claimInMs: hourMs, endsInMs: hourMs },
      room,
    );
    const change = { data, claimInMs: undefined, endsInMs: hourMs, isOver: true, entries: [] };
    if (made.task === undefined || !(await tasks.write(made.task, change))) throw new Error(`task ${n} was not stored`);
  };
  let next = 0;
  const worker = async () => {
    while (next < size) await copy(next++);
  };
  await Promise.all(Array.from({ length: together }, worker));
}

/** IDs begin with the shard of their owner, by FNV-1a. */
function newIdOf(owner) {
  let hash = 0x811c9dc5;
  for (const character of owner) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  const shard = ((hash >>> 0) % 16).toString(16);
  return shard + crypto.randomUUID().replaceAll('-', '');
}
