/** The memory of an idle session: the heap after collection with a thousand of them, client and server together. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./memory-worker.mjs', import.meta.url));

/** Resolves with undefined for a subject that cannot take part. */
export async function bytesPerSession(module, job) {
  const child = fork(worker, [module.href, JSON.stringify(job)], { execArgv: ['--expose-gc'] });
  const [{ bytes, failed }] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  child.kill();
  if (failed !== undefined) throw new Error(failed);
  return bytes;
}
