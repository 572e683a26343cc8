/** Prepares the checkout, then runs a program in the foreground until it exits. */

/** `start` returns the child process, whose exit code becomes this one's. */
export async function runInForeground(prepare, start) {
  try {
    await prepare();
    const child = start();
    // A terminal sends SIGINT to both processes; this one only waits for the other to exit.
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

const pollMs = 250;

/** The shell of npm exits on SIGTERM and does not pass it on: the only sign is that the shell no longer runs. */
function watchParent(onExit) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onExit();
  }, pollMs);
  return watch.unref();
}
