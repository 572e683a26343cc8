/** Ends processes with all that they have started, at the latest when this process ends. */

import { processWide } from '../process/process-wide.ts';
import { isWindows } from './command.ts';
import { createFatalSignals } from './fatal-signals.ts';

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
const shutdownMs = 1000;

interface Trees {
  /** Whether they were told to leave, because this process is about to die. */
  readonly isShuttingDown: boolean;
  add(pid: number): void;
  delete(pid: number): void;
}

/** Process groups that must not outlive this process: those of all copies of this package, so that one answers a signal. */
const trees = (): Trees => processWide('process trees', createTrees);

export const guardTree = (pid: number): void => trees().add(pid);
export const isShuttingDown = (): boolean => trees().isShuttingDown;
export const releaseTree = (pid: number): void => trees().delete(pid);

type Watch =
  | { at: 'rest' }
  | { at: 'guarding' }
  /** The signal that this process dies of as soon as its servers have left. */
  | { at: 'dying'; of: NodeJS.Signals; bound: NodeJS.Timeout };

function createTrees(): Trees {
  const alive = new Set<number>();
  const signals = createFatalSignals(part);
  let watch: Watch = { at: 'rest' };

  const endAll = (): void => {
    for (const pid of alive) signalTree(pid, 'SIGKILL');
  };

  function become(next: Watch): void {
    if (watch.at === 'dying') clearTimeout(watch.bound);
    if (watch.at === 'rest' && next.at !== 'rest') {
      process.on('exit', endAll);
      signals.start();
    }
    if (watch.at !== 'rest' && next.at === 'rest') {
      process.off('exit', endAll);
      signals.stop();
    }
    watch = next;
  }

  /** A second signal does not wait for the servers. */
  function part(signal: NodeJS.Signals): void {
    if (watch.at === 'dying') return die(watch.of);
    for (const pid of alive) signalTree(pid, 'SIGTERM');
    become({ at: 'dying', of: signal, bound: setTimeout(die, shutdownMs, signal) });
  }

  /** With nobody to hear it, the signal does what it does by default. Who listens since it came is too late: without servers the process would be dead by now. */
  function die(signal: NodeJS.Signals): void {
    endAll();
    become({ at: 'rest' });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  return {
    get isShuttingDown() {
      return watch.at === 'dying';
    },
    add(pid) {
      alive.add(pid);
      if (watch.at === 'rest') become({ at: 'guarding' });
    },
    delete(pid) {
      if (!alive.delete(pid) || alive.size > 0) return;
      if (watch.at === 'dying') die(watch.of);
      else become({ at: 'rest' });
    },
  };
}
