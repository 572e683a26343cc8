/** Ends child processes with everything they have started, at the latest when this process ends. */

import { processWide } from '../process/process-wide.ts';
import { isWindows } from './command.ts';
import { createFatalSignals } from './fatal-signals.ts';

/** Sends a signal to a process group. Does nothing if it has ended already. */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows()) return endOnWindows(pid);
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

/** How long servers may take to exit when a signal is about to end this process. */
const shutdownMs = 1000;

interface Trees {
  /** Whether they were sent a signal to exit, because a signal is about to end this process. */
  readonly isShuttingDown: boolean;
  add(pid: number): void;
  delete(pid: number): void;
}

/** Process groups that must not outlive this process: those of all copies of this package, so that only one handles a signal. */
const trees = (): Trees => processWide('process trees', createTrees);

export const guardTree = (pid: number): void => trees().add(pid);
export const isShuttingDown = (): boolean => trees().isShuttingDown;
export const releaseTree = (pid: number): void => trees().delete(pid);

type Watch =
  | { at: 'idle' }
  | { at: 'guarding' }
  /** The signal that ends this process as soon as its servers have exited. */
  | { at: 'ending'; by: NodeJS.Signals; timeout: NodeJS.Timeout };

function createTrees(): Trees {
  const alive = new Set<number>();
  const signals = createFatalSignals(shutDown);
  let watch: Watch = { at: 'idle' };

  const endAll = (): void => {
    for (const pid of alive) signalTree(pid, 'SIGKILL');
  };

  function become(next: Watch): void {
    if (watch.at === 'ending') clearTimeout(watch.timeout);
    if (watch.at === 'idle' && next.at !== 'idle') {
      process.on('exit', endAll);
      signals.start();
    }
    if (watch.at !== 'idle' && next.at === 'idle') {
      process.off('exit', endAll);
      signals.stop();
    }
    watch = next;
  }

  /** A second signal does not wait for the servers. */
  function shutDown(signal: NodeJS.Signals): void {
    if (watch.at === 'ending') return die(watch.by);
    for (const pid of alive) signalTree(pid, 'SIGTERM');
    become({ at: 'ending', by: signal, timeout: setTimeout(die, shutdownMs, signal) });
  }

  /** Sends the signal to this process without listeners, so that it does what it does by default. Listeners added since then are ignored: without servers the process would have ended by now. */
  function die(signal: NodeJS.Signals): void {
    endAll();
    become({ at: 'idle' });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }

  return {
    get isShuttingDown() {
      return watch.at === 'ending';
    },
    add(pid) {
      alive.add(pid);
      if (watch.at === 'idle') become({ at: 'guarding' });
    },
    delete(pid) {
      if (!alive.delete(pid) || alive.size > 0) return;
      if (watch.at === 'ending') die(watch.by);
      else become({ at: 'idle' });
    },
  };
}
