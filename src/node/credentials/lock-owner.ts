/** Which process owns a lock, and whether it still runs: a process number is used again after a crash. */
import { fsModule, osModule } from '../process/builtins.ts';

/** What a lock file says about its owner. */
export interface LockOwner {
  /** Unique for each time that a lock is taken. */
  readonly token: string;
  readonly pid: number;
  /** When the process started, in the units of the operating system; absent where it does not say. */
  readonly started?: string;
  /** Process numbers mean something only inside it: the host, and the container if there is one. */
  readonly machine: string;
}

/**
 * Age of the heartbeat of a lock whose process cannot be seen.
 * @limit credentials
 * @beyond another process takes the lock over
 */
export const staleMs = 60_000;

export const heartbeatMs = 10_000;
/** How long an owner may take between creating a lock file and writing into it. */
const emptyMs = 5000;

let machine: string | undefined;
const thisMachine = (): string => (machine ??= `${osModule().hostname()} ${pidNamespace()}`.trim());

export function newOwner(): LockOwner {
  const started = processState(process.pid)?.started;
  return {
    token: crypto.randomUUID(),
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    machine: thisMachine(),
  };
}

/** `undefined` for what is not written yet. Tokens become part of a file name. */
export function readOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner>;
    const isOwner =
      typeof owner.token === 'string' &&
      /^[\da-f-]{36}$/.test(owner.token) &&
      Number.isSafeInteger(owner.pid) &&
      typeof owner.machine === 'string';
    return isOwner ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the owner has crashed. A process that runs keeps its lock, however slow it is: only where its state cannot be
 * seen does the age of the heartbeat decide.
 */
export function hasCrashed(owner: LockOwner | undefined, heartbeatAgeMs: number): boolean {
  if (owner === undefined) return heartbeatAgeMs > emptyMs;
  if (owner.machine !== thisMachine()) return heartbeatAgeMs > staleMs;
  if (!isRunning(owner.pid)) return true;
  const state = processState(owner.pid);
  if (state === undefined || owner.started === undefined) return heartbeatAgeMs > staleMs;
  return state.ended || state.started !== owner.started;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface ProcessState {
  readonly started: string;
  /** It has ended, and its parent has not noticed yet. */
  readonly ended: boolean;
}

/** From /proc of Linux; elsewhere nothing. */
function processState(pid: number): ProcessState | undefined {
  try {
    const text = fsModule().readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program comes second, in parentheses, and may have spaces and parentheses in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    const started = fields[19];
    return started === undefined ? undefined : { started, ended: /[ZXx]/.test(state) };
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return fsModule().readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
