/** Ends processes with all that they have started, at the latest when this process ends. */
import { isWindows } from './command.ts';
import { processWide } from './process-wide.ts';

/** Sends a signal to a process that leads a group, and to the whole group. Gone already is as good. */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows) return endOnWindows(pid);
  try {
    process.kill(-pid, signal);
  } catch {}
}

/** Windows has no groups to signal; its own tool walks the tree. */
function endOnWindows(pid: number): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const tool = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  tool.on('error', () => {});
  tool.unref();
}

/** How long servers may take to leave when this process is about to die of a signal. */
const partingMs = 1000;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Trees {
  add(pid: number): void;
  delete(pid: number): void;
}

/** Process groups that must not outlive this process: those of all copies of this package, so that one answers a signal. */
const trees = (): Trees => processWide('process trees', createTrees);

export const guardTree = (pid: number): void => trees().add(pid);
export const releaseTree = (pid: number): void => trees().delete(pid);

function createTrees(): Trees {
  const alive = new Set<number>();
  /** The signal that this process dies of as soon as its servers have left. */
  let dying: { of: NodeJS.Signals; bound: NodeJS.Timeout } | undefined;

  const endAll = (): void => {
    for (const pid of alive) signalTree(pid, 'SIGKILL');
  };

  /** A host that hears the signal itself decides what comes of it; if it exits, `exit` ends what is left. */
  function hear(signal: NodeJS.Signals): void {
    if (process.listenerCount(signal) > 1) return;
    if (dying !== undefined) return die();
    for (const pid of alive) signalTree(pid, 'SIGTERM');
    dying = { of: signal, bound: setTimeout(die, partingMs) };
  }

  /** Without this listener the signal does what it does by default. */
  function die(): void {
    if (dying === undefined) return;
    const { of, bound } = dying;
    dying = undefined;
    clearTimeout(bound);
    endAll();
    stopHearing();
    process.kill(process.pid, of);
  }

  function stopHearing(): void {
    process.off('exit', endAll);
    for (const signal of signals) process.off(signal, hear);
  }

  return {
    add(pid) {
      if (alive.size === 0) {
        process.on('exit', endAll);
        for (const signal of signals) process.on(signal, hear);
      }
      alive.add(pid);
    },
    delete(pid) {
      if (!alive.delete(pid) || alive.size > 0) return;
      stopHearing();
      die();
    },
  };
}
