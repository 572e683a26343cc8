/** Ends a process with all that it has started. */
import { spawn } from 'node:child_process';
import { isWindows } from './command.ts';

/** Sends a signal to a process that leads a group, and to the whole group. Gone already is as good. */
export function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (isWindows) return endOnWindows(pid);
  try {
    process.kill(-pid, signal);
  } catch {}
}

/** Windows has no groups to signal; its own tool walks the tree. */
function endOnWindows(pid: number): void {
  const tool = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  tool.on('error', () => {});
  tool.unref();
}

/** Process groups that must not outlive this process. */
const alive = new Set<number>();

const endAll = (): void => {
  for (const pid of alive) signalTree(pid, 'SIGKILL');
};

export function guardTree(pid: number): void {
  if (alive.size === 0) process.on('exit', endAll);
  alive.add(pid);
}

export function releaseTree(pid: number): void {
  alive.delete(pid);
  if (alive.size === 0) process.off('exit', endAll);
}
