/** Keeps standard output for the protocol: whatever else is written there goes to standard error, its place named once. */
import { fsModule } from './builtins.ts';
import { processWide } from './process-wide.ts';

export interface StdoutGuard {
  /** The way to the real standard output. */
  write(data: string | Uint8Array, done?: () => void): boolean;
  /** Gives standard output back. */
  release(): void;
}

/** A process has one standard output, so there is one guard. */
const place = (): { guard: StdoutGuard | undefined } => processWide('stdout guard', () => ({ guard: undefined }));

/** Takes standard output, or gives the guard that has taken it already. */
export function guardStdout(): StdoutGuard {
  const there = place();
  there.guard ??= createGuard();
  return there.guard;
}

function createGuard(): StdoutGuard {
  const { stdout, stderr } = process;
  const { write, end } = stdout;
  const warn = createWarning((text) => void stderr.write(text));
  const stray = (...given: Parameters<typeof stdout.write>): boolean => {
    warn(stray);
    return stderr.write(...given);
  };
  const strayEnd = (last?: unknown): typeof stdout => {
    warn(strayEnd);
    if (typeof last === 'string' || last instanceof Uint8Array) stderr.write(last);
    return stdout;
  };
  Object.assign(stdout, { write: stray, end: strayEnd });
  const restore = guardDescriptor(warn);
  return {
    write: (data, done) => write.call(stdout, data, 'utf8', done),
    release() {
      Object.assign(stdout, { write, end });
      restore();
      place().guard = undefined;
    },
  };
}

/** Loggers that write to the descriptor pass by the stream. */
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

function guardDescriptor(warn: Warn): () => void {
  const fs = fsModule();
  const { syncBuiltinESMExports } = process.getBuiltinModule('node:module');
  const originals = descriptorWrites.map((name) => [name, fs[name]] as const);
  const table = fs as unknown as Record<string, unknown>;
  for (const [name, original] of originals) {
    const guarded = (descriptor: unknown, ...rest: unknown[]): unknown => {
      if (descriptor === 1) warn(guarded);
      return (original as (...given: unknown[]) => unknown)(descriptor === 1 ? 2 : descriptor, ...rest);
    };
    // What `promisify` gives is written on the function itself.
    table[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, original] of originals) table[name] = original;
    syncBuiltinESMExports();
  };
}

/** Names the place that called a function, once. */
type Warn = (called: (...given: never[]) => unknown) => void;

/** More places than this are not told apart. */
const maxPlaces = 20;

function createWarning(say: (text: string) => void): Warn {
  const places = new Set<string>();
  return (called) => {
    if (places.size >= maxPlaces) return;
    const trace = { stack: '' };
    Error.captureStackTrace(trace, called);
    const place = placeOf(String(trace.stack));
    if (places.has(place)) return;
    places.add(place);
    say(`tenon: ${place} wrote to standard output, which carries the protocol; it goes to standard error instead.\n`);
  };
}

/** The first line of a stack that is neither Node's own nor the engine's. Writes that wait have none. */
function placeOf(stack: string): string {
  const lines = stack.split('\n').slice(1);
  const foreign = lines.find((line) => !/\(?node:|<anonymous>\)$/.test(line));
  return (foreign ?? 'a place unknown').trim().replace(/^at /, '');
}
