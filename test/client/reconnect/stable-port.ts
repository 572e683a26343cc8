/** A port for a server that goes and comes back: below those that the system gives out, so that nobody takes it meanwhile. */
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const [lowest, highest] = [20_000, 32_000];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const trial = createServer();
    trial.once('error', () => resolve(false));
    trial.listen(port, '127.0.0.1', () => trial.close(() => resolve(true)));
  });

export async function stablePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port between ${lowest} and ${highest} in 100 tries.`);
}

/**
 * Listens again where something listened before. A process that is being started in another thread has all that was open
 * until it runs its own program, so that a port which was closed here can be taken for some milliseconds more.
 */
export async function listenAgain<T>(listen: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await listen();
    } catch (error) {
      if (!String(error).includes('EADDRINUSE') || tries === 200) throw error;
      await pause(10);
    }
  }
}
