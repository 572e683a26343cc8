/** Reserves standard output for the protocol: other writes go to standard error, with one warning per place in the code. */
import { fsModule } from '../process/builtins.ts';
import { processWide } from '../process/process-wide.ts';

export interface StdoutGuard {
  /** Writes to the real standard output. */
  write(data: string | Uint8Array, done?: () => void): boolean;
  /** Whether the reader has closed its end. Known for sockets, which Node's clients use; a pipe fails at the next real write only. */
  isBroken(): boolean;
  /** Restores standard output. */
  release(): void;
}

/** A process has one standard output, so there is one guard. */
const place = (): { guard: StdoutGuard | undefined } => processWide('stdout guard', () => ({ guard: undefined }));

/** Guards standard output, or returns the guard that is already there. */
export function guardStdout(strays: 'warned about' | 'silent' = 'warned about'): StdoutGuard {
  const there = place();
  there.guard ??= createGuard(strays === 'silent');
  return there.guard;
}

function createGuard(isSilent: boolean): StdoutGuard {
  const { stdout, stderr } = process;
  const { write, end, destroy, destroySoon, cork } = stdout;
  const { fstatSync, writeSync } = fsModule();
  const warn: Warn = isSilent ? () => {} : createWarning((text) => void stderr.write(text));
  const stray = (...args: Parameters<typeof stdout.write>): boolean => {
    warn(stray, 'wrote to');
    return stderr.write(...args);
  };
  const strayEnd = (...args: unknown[]): typeof stdout => {
    const [last] = args;
    const isText = typeof last === 'string' || last instanceof Uint8Array;
    warn(strayEnd, isText ? 'wrote to' : 'closed');
    if (isText) stderr.write(last);
    const done = args.at(-1);
    // Code that waits for the end, such as a pipeline, continues.
    process.nextTick(() => {
      stdout.emit('finish');
      if (typeof done === 'function') done();
    });
    return stdout;
  };
  const strayDestroy = (error?: Error): typeof stdout => {
    // Node does the same when a write fails.
    if (error) return destroy.call(stdout, error);
    warn(strayDestroy, 'closed');
    return stdout;
  };
  const strayCork = (): void => warn(strayCork, 'held back');
  const strays = { write: stray, end: strayEnd, destroy: strayDestroy, destroySoon: strayDestroy, cork: strayCork };
  Object.assign(stdout, strays);
  const restore = guardDescriptor(warn);
  return {
    write: (data, done) => write.call(stdout, data, 'utf8', done),
    isBroken: () => failsBroken(() => fstatSync(1).isSocket() && writeSync(1, new Uint8Array(0))),
    release() {
      Object.assign(stdout, { write, end, destroy, destroySoon, cork });
      restore();
      place().guard = undefined;
    },
  };
}

function failsBroken(act: () => unknown): boolean {
  try {
    act();
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EPIPE' || code === 'ECONNRESET';
  }
}

/** Loggers that write to the descriptor bypass the stream. */
const descriptorWrites = [
  'appendFile',
  'appendFileSync',
  'write',
  'writeFile',
  'writeFileSync',
  'writeSync',
  'writev',
  'writevSync',
] as const;

/** File streams on the descriptor close it when they end. */
const descriptorCloses = ['close', 'closeSync'] as const;

/** A function of `fs`, called with standard output. */
type Stray = (original: AnyFunction, rest: unknown[]) => unknown;
type AnyFunction = (...args: unknown[]) => unknown;

const toErrors: Stray = (original, rest) => original(2, ...rest);
const notAtAll: Stray = (_original, [done]) => {
  if (typeof done === 'function') process.nextTick(done as AnyFunction, null);
};

function guardDescriptor(warn: Warn): () => void {
  const fs = fsModule();
  const { syncBuiltinESMExports } = process.getBuiltinModule('node:module');
  const table = fs as unknown as Record<string, AnyFunction>;
  const originals: [name: string, original: AnyFunction][] = [];
  function guard(name: string, action: Action, stray: Stray): void {
    const original = table[name] as AnyFunction;
    const guarded = (descriptor: unknown, ...rest: unknown[]): unknown => {
      if (descriptor !== 1) return original(descriptor, ...rest);
      warn(guarded, action);
      return stray(original, rest);
    };
    originals.push([name, original]);
    // `promisify` finds its variant on the function itself.
    table[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
  }
  for (const name of descriptorWrites) guard(name, 'wrote to', toErrors);
  for (const name of descriptorCloses) guard(name, 'closed', notAtAll);
  syncBuiltinESMExports();
  return () => {
    for (const [name, original] of originals) table[name] = original;
    syncBuiltinESMExports();
  };
}

/** What was done to standard output, and what happens instead. */
const actions = {
  'wrote to': 'it goes to standard error instead',
  closed: 'it stays open',
  'held back': 'it flows on',
} as const;
type Action = keyof typeof actions;

/** Reports the place that called a function, once. */
type Warn = (called: (...args: never[]) => unknown, action: Action) => void;

/** No warnings for more places than this. */
const maxPlaces = 20;

function createWarning(send: (text: string) => void): Warn {
  const places = new Set<string>();
  return (called, action) => {
    if (places.size >= maxPlaces) return;
    const trace = { stack: '' };
    Error.captureStackTrace(trace, called);
    const place = `${placeOf(String(trace.stack))} ${action}`;
    if (places.has(place)) return;
    places.add(place);
    send(`tenon: ${place} standard output, which carries the protocol; ${actions[action]}.\n`);
  };
}

/** The first line of a stack that is neither Node's nor the engine's. Deferred writes have none. */
function placeOf(stack: string): string {
  const lines = stack.split('\n').slice(1);
  const foreign = lines.find((line) => !/\(?node:|<anonymous>\)$/.test(line));
  return (foreign ?? 'unknown code').trim().replace(/^at /, '');
}
