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
    const watch = watchParent(() => child.kill('SIGTERM'));
    child.on('exit', (code) => {
      clearInterval(watch);
      process.exitCode = code ?? 1;
    });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

const lookMs = 250;

/** A shell of npm's that gets SIGTERM dies of it and passes nothing on: that it has gone is all there is to see. */
function watchParent(gone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    gone();
  }, lookMs);
  return watch.unref();
}
