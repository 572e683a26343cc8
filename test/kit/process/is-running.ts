/** Whether a process runs. A zombie, which has exited but was not waited for, does not. */
import { readFileSync } from 'node:fs';

export function isRunning(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name is in brackets and can contain anything.
    return text.slice(text.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}
