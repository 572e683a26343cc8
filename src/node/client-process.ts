/** Which process is the client of this one, and whether it is there still: wrappers such as `npx` stand between the two. */
import { fsModule } from './builtins.ts';

export interface ClientProcess {
  readonly pid: number;
  /** When it was started, so that another that has its number later is not taken for it; unknown where the system does not tell. */
  readonly started: string | undefined;
}

/** As far up as wrappers are looked for. */
const generations = 5;

/** The nearest process above this one that is no wrapper; the nearest of all where the system tells no more. */
export function findClient(): ClientProcess {
  let pid = process.ppid;
  const ours = inputOf('self');
  for (let n = 1; n < generations; n++) {
    // A wrapper passes its own input on. Who has another is the client, and whoever started that may leave.
    if (ours === undefined || inputOf(pid) !== ours) break;
    const parent = factsOf(pid)?.parent;
    if (parent === undefined || parent <= 1) break;
    pid = parent;
  }
  return { pid, started: factsOf(pid)?.started };
}

/** Wrappers that have gone say nothing of it. */
export function hasGone({ pid, started }: ClientProcess): boolean {
  if (started === undefined) return process.ppid !== pid;
  const now = factsOf(pid);
  // One that has ended and was not asked after is there by its number only.
  return now === undefined || now.started !== started || now.state === 'Z';
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

interface Facts {
  readonly state: string | undefined;
  readonly parent: number;
  readonly started: string | undefined;
}

function factsOf(pid: number): Facts | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = fsModule().readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and can hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], parent: Number(fields[1]), started: fields[19] };
  } catch {
    return undefined;
  }
}
