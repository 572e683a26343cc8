/** Runs each subject in a process of its own, so that none warms, clutters or collects garbage for another. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url));
const startMs = 30_000;

/**
 * Starts a subject whose module exports `prepare(job)`. Settles with a subject for `alternate`, or with
 * `{ name, skipped }` when the module says why it cannot take part.
 */
export async function isolate(name, module, job) {
  const child = fork(worker, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = ended(child);
  const ask = async (question, waitMs) => {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(waitMs) });
    child.send(question);
    const [reply] = await Promise.race([answer, gone]);
    if (reply.failed !== undefined) throw new Error(`${name}: ${reply.failed}`);
    return reply;
  };
  const close = () => child.kill();
  try {
    const { skipped } = await ask({ prepare: { module: module.href, job } }, startMs);
    if (skipped === undefined) return { name, close, slice: (ms) => ask({ slice: ms }, ms + startMs) };
    close();
    return { name, skipped };
  } catch (error) {
    close();
    throw error;
  }
}

/** Never settles while the process lives. */
function ended(child) {
  const gone = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the process of a subject ended (${signal ?? code}); its own message is above`);
  });
  // Nobody asks any more when a subject is closed on purpose.
  gone.catch(() => {});
  return gone;
}
