/** A port for a server that restarts: outside the ephemeral range, so that no other socket takes it in the meantime. */
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const [lowest, highest] = [20_000, 32_000];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const trial = createServer();
    trial.once('error', () => resolve(false));
    trial.listen(port, '127.0.0.1', () => trial.close(() => resolve(true)));
  });

/** `also`: how far above the port another one is that the server needs. */
export async function stablePort(also = 0): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest - also));
    if ((await isFree(port)) && (also === 0 || (await isFree(port + also)))) return port;
  }
  throw new Error(`No free port between ${lowest} and ${highest} in 100 tries.`);
}

/**
 * Listens on a port that was just closed. A process being spawned inherits all open file descriptors until it executes
 * its own program, so that a port closed here can stay in use for some milliseconds.
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
