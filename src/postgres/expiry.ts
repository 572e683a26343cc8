/** Deletes what has expired as a process writes: PostgreSQL deletes nothing itself, and not every process sweeps. */
import type { Op } from '../store/driver.ts';

/** Writes of what expires, after which so much is deleted. */
const expireEvery = 64;

/** Of these, each so many times everything that is not needed any more is looked for. */
const sweepEvery = 64;

/** `remove` deletes at most so many rows, of all kinds if it sweeps; it reports its errors, and is called once at a time. */
export function expiryByWrites(
  remove: (how: 'expire' | 'sweep', max: number) => Promise<void>,
): (ops: readonly Op[]) => void {
  let written = 0;
  let times = 0;
  let isRemoving = false;

  async function run(): Promise<void> {
    // More than was written: what has expired becomes less.
    const max = written * 2;
    written = 0;
    isRemoving = true;
    await remove(++times % sweepEvery === 0 ? 'sweep' : 'expire', max);
    isRemoving = false;
  }

  return (ops) => {
    for (const op of ops) if (op.op === 'tokens' || (op.op === 'put' && op.expiresInMs !== undefined)) written++;
    if (written >= expireEvery && !isRemoving) void run();
  };
}
