/** Who started this process for its client: wrappers such as `npx` stand between the two. */
import { fsModule } from './builtins.ts';

/** As far up as wrappers are looked for. */
const generations = 5;

/** The numbers of the processes above this one, the nearest first, up to the client; only the nearest where the system tells no more. */
export function ancestors(): readonly number[] {
  const found = [process.ppid];
  const ours = inputOf('self');
  while (found.length < generations) {
    const nearest = found.at(-1) as number;
    // A wrapper passes its own input on. Who has another is the client, and whoever started that may leave.
    if (ours === undefined || inputOf(nearest) !== ours) break;
    const parent = parentOf(nearest);
    if (parent === undefined || parent <= 1) break;
    found.push(parent);
  }
  return found;
}

/** Names the pipe, socket or file that a process has as its standard input. */
function inputOf(pid: number | 'self'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return fsModule().readlinkSync(`/proc/${pid}/fd/0`);
  } catch {
    return undefined;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const text = fsModule().readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and can hold anything.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Whether one of them has gone since: what it had started was then given to another. */
export const areGone = (before: readonly number[]): boolean =>
  before.some((pid, n) => pid !== (n === 0 ? process.ppid : parentOf(before[n - 1] as number)));
