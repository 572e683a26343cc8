/** Looks at files from time to time, and reports when one has changed and is written whole. */
import type { Clock, StopTimer } from '../../lib/time/deadlines.ts';
import { stampOf } from '../../node/guard/read-policy.ts';

/**
 * The time between two looks at the file of a gateway and its secrets. A change is used if two looks in a row see the same files.
 * @limit gateway
 */
export const filePollMs = 2000;

export interface FileWatch {
  /** The files that are looked at from now on, as they are now. */
  watch(paths: readonly string[]): Promise<void>;
  close(): void;
}

/** `onChange` is called once for each change; the next look follows when it has ended. */
export function watchFiles(clock: Clock, onChange: () => Promise<void>, pollMs = filePollMs): FileWatch {
  let paths: readonly string[] = [];
  let used = '';
  let seen: string | undefined;
  let stopTimer: StopTimer | undefined;
  let closed = false;

  const stamps = async (): Promise<string> => (await Promise.all(paths.map(stampOf))).join(';');

  async function look(): Promise<void> {
    const now = await stamps();
    if (closed) return;
    if (now === used) seen = undefined;
    else if (now !== seen) seen = now;
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
    async watch(next) {
      const isFirst = stopTimer === undefined;
      paths = next;
      used = await stamps();
      if (isFirst) later();
    },
    close() {
      closed = true;
      stopTimer?.();
    },
  };
}
