/** Whether a process runs: one that has ended and that nobody has asked after does not. */
import { readFileSync } from 'node:fs';

export function isRunning(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0);
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and can hold anything.
    return text.slice(text.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}
