/** Runs each subject in its own process, so that subjects do not affect each other's code and heap. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('./worker.mjs', import.meta.url));
const startMs = 30_000;

/**
 * Starts a subject whose module exports `prepare(job)`. Resolves with a subject for `alternate`, or with
 * `{ name, skipped }` when the module returns a reason why it cannot take part. `prepareMs` is how long preparing may take.
 */
export async function isolate(name, module, job, prepareMs = startMs) {
  const child = fork(worker, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = exitOf(child);
  const send = async (message, waitMs) => {
    const answer = once(child, 'message', { signal: AbortSignal.timeout(waitMs) });
    child.send(message);
    const [reply] = await Promise.race([answer, exited]);
    if (reply.failed !== undefined) throw new Error(`${name}: ${reply.failed}`);
    return reply;
  };
  const close = () => child.kill();
  try {
    const { skipped } = await send({ prepare: { module: module.href, job } }, prepareMs);
    if (skipped === undefined) return { name, close, slice: (ms) => send({ slice: ms }, ms + startMs) };
    close();
    return { name, skipped };
  } catch (error) {
    close();
    throw error;
  }
}

/** Rejects when the process exits. */
function exitOf(child) {
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the process of a subject exited (${signal ?? code}); see its message above`);
  });
  // Prevents an unhandled rejection when a subject is closed on purpose.
  exited.catch(() => {});
  return exited;
}
