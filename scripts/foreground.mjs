/** Sets up, then runs a program in the foreground until it ends. */
import { setUp } from './setup.mjs';

/** `start` gives the child process, whose exit code becomes this one's. */
export async function runInForeground(start) {
  try {
    await setUp();
    const child = start();
    // A terminal sends SIGINT to both processes; this one only waits for the other to end.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('exit', (code) => {
      process.exitCode = code ?? 1;
    });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
