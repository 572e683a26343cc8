/** Whether the client of this process is there still: by the socket that it gave, else by the process that holds the other end of the pipe. */
import { fsModule } from '../process/builtins.ts';

/** Says whether the client has gone. Where that cannot be known, it has not. */
export type ClientWatch = () => boolean;

const neverGone: ClientWatch = () => false;

/** Settled at start, before anybody can have gone. `isBroken` says whether a write of nothing to standard output fails. */
export function watchClient(isBroken: () => boolean): ClientWatch {
  const output = kindOfOutput();
  // A socket knows, whichever processes stand between the two. Node's own clients give one.
  if (output === 'socket') return isBroken;
  // What goes to a file or a terminal is not for one process.
  const client = output === 'pipe' ? findClient() : undefined;
  return client === undefined ? neverGone : () => hasGone(client);
}

function kindOfOutput(): 'socket' | 'pipe' | 'other' {
  try {
    const output = fsModule().fstatSync(1);
    if (output.isSocket()) return 'socket';
    return output.isFIFO() ? 'pipe' : 'other';
  } catch {
    return 'other';
  }
}

export interface ClientProcess {
  readonly pid: number;
  /** When it was started, so that another that has its number later is not taken for it; unknown where the system does not tell. */
  readonly started: string | undefined;
}

/** As far up as wrappers are looked for. */
const generations = 5;

/** The nearest process above this one that is no wrapper; the nearest of all where the system tells no more. Absent where that one does not read the output. */
function findClient(): ClientProcess | undefined {
  let pid = process.ppid;
  const input = streamOf('self', 0);
  for (let n = 1; n < generations; n++) {
    // A wrapper passes its own input on. Who has another is the client, and whoever started that may leave.
    if (input === undefined || streamOf(pid, 0) !== input) break;
    const parent = lookAt(pid);
    if (parent.is !== 'there' || parent.parent <= 1) break;
    pid = parent.parent;
  }
  const found = lookAt(pid);
  if (reads(pid, streamOf('self', 1)) === false) return undefined;
  return { pid, started: found.is === 'there' ? found.started : undefined };
}

/** Wrappers that have gone say nothing of it. */
export function hasGone({ pid, started }: ClientProcess, look: (pid: number) => Look = lookAt): boolean {
  if (started === undefined) return process.ppid !== pid;
  const now = look(pid);
  return now.is === 'gone' || (now.is === 'there' && now.started !== started);
}

/** What the system says of a process now. */
export type Look =
  | { readonly is: 'there'; readonly parent: number; readonly started: string | undefined }
  | { readonly is: 'gone' }
  /** It could not be asked. */
  | { readonly is: 'unknown' };

const unknown: Look = { is: 'unknown' };
const gone: Look = { is: 'gone' };

function lookAt(pid: number): Look {
  if (process.platform !== 'linux') return unknown;
  try {
    return lookIn(fsModule().readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ESRCH' ? gone : unknown;
  }
}

/** Reads what Linux writes of a process on one line. */
export function lookIn(text: string): Look {
  // The name of the program stands in brackets and can hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, threads, started] = [fields[0], fields[1], fields[17], fields[19]];
  // One that has ended and was not asked after is there by its number only, unless threads of it go on.
  return state === 'Z' && Number(threads) < 2 ? gone : { is: 'there', parent: Number(parent), started };
}

/** Names the pipe, socket or file behind a descriptor of a process. */
function streamOf(pid: number | 'self', descriptor: string | number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return fsModule().readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

/** Whether a process can read from a stream; unknown where it cannot be asked. */
function reads(pid: number, stream: string | undefined): boolean | undefined {
  if (stream === undefined) return undefined;
  const { readdirSync, readFileSync } = fsModule();
  // Who has started this process for others has the end for writing alone.
  const isForReading = (descriptor: string): boolean =>
    isReadable(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8'));
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (descriptor) => streamOf(pid, descriptor) === stream && isForReading(descriptor),
    );
  } catch {
    return undefined;
  }
}

/** By what Linux writes of a descriptor. */
export function isReadable(text: string): boolean {
  const flags = Number.parseInt(/^flags:\s*([0-7]+)/m.exec(text)?.[1] ?? '0', 8);
  return (flags & accessMask) !== writeOnly;
}

const accessMask = 3;
const writeOnly = 1;
