/** Who started this process, and who started that one: wrappers such as `npx` stand between a server and its client. */
import { fsModule } from './builtins.ts';

/** As far up as wrappers reach; above are the client and whoever started that. */
const generations = 5;

/** The numbers of the processes above this one, the nearest first; only the nearest where the system tells no more. */
export function ancestors(): readonly number[] {
  const found = [process.ppid];
  while (found.length < generations) {
    const parent = parentOf(found.at(-1) as number);
    if (parent === undefined || parent <= 1) break;
    found.push(parent);
  }
  return found;
}

function parentOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = fsModule().readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and can hold anything.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Whether one of them has gone since: what it had started was then given to another. */
export const areGone = (before: readonly number[]): boolean => {
  const now = ancestors();
  return before.some((pid, n) => pid !== now[n]);
};
