/** Looks at files from time to time, and reports when one has changed and is written whole. */
import type { Clock, StopTimer } from '../../lib/time/deadlines.ts';
import { stampOf } from '../../node/guard/read-policy.ts';

/**
 * The time between two looks at the file of a gateway and its secrets. A change is used if two looks in a row see the same files.
 * @limit gateway
 */
export const filePollMs = 2000;

export interface FileWatch {
  /** The files that are looked at from now on. A new one counts as it is now. */
  watch(paths: readonly string[]): Promise<void>;
  /** Counts all files as they are now: to be called before they are read, so that no change is missed. */
  refresh(): Promise<void>;
  /** Begins to look. */
  start(): void;
  close(): void;
}

/** `onChange` is called once for each change; the next look follows when it has ended. */
export function watchFiles(clock: Clock, onChange: () => Promise<void>, pollMs = filePollMs): FileWatch {
  /** The stamp of each file when it was last read. */
  let used: ReadonlyMap<string, string> = new Map();
  let seen: string | undefined;
  let stopTimer: StopTimer | undefined;
  let closed = false;

  async function stampsOf(paths: Iterable<string>): Promise<Map<string, string>> {
    const stamps = [...paths].map(async (path) => [path, await stampOf(path)] as const);
    return new Map(await Promise.all(stamps));
  }

  async function look(): Promise<void> {
    const now = await stampsOf(used.keys());
    if (closed) return;
    const [before, text] = [textOf(used), textOf(now)];
    if (text === before) seen = undefined;
    else if (text !== seen) seen = text;
    else {
      used = now;
      seen = undefined;
      await onChange();
    }
    later();
  }

  function later(): void {
    if (closed) return;
    stopTimer = clock.after(pollMs, () => void look());
    // A program that has nothing else to do may exit.
    stopTimer.hold?.(false);
  }

  return {
    async watch(paths) {
      const added = await stampsOf(paths.filter((path) => !used.has(path)));
      used = new Map(paths.map((path) => [path, used.get(path) ?? added.get(path) ?? '']));
    },
    async refresh() {
      used = await stampsOf(used.keys());
    },
    start: later,
    close() {
      closed = true;
      stopTimer?.();
    },
  };
}

const textOf = (stamps: ReadonlyMap<string, string>): string => [...stamps.values()].join(';');
