/** One subject: tasks of a server whose store has many others. Its time is that of the server and the store. */
import { isolate } from '../lib/isolation.mjs';
import { prepareStore } from '../stores/subjects.mjs';

const module = new URL('./subjects/tasks.mjs', import.meta.url);

/** A store that syncs the disk at each commit takes minutes to fill. */
const fillMs = 20 * 60_000;

export async function openTasks(name, storeName, size) {
  const store = await prepareStore(storeName);
  try {
    const worker = await isolate(name, module, { address: store.address, size }, fillMs);
    return {
      name,
      async slice(ms) {
        const before = store.cpuMs();
        const slice = await worker.slice(ms);
        return { ...slice, cpuMs: slice.cpuMs + store.cpuMs() - before };
      },
      async close() {
        worker.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
