/** How fast an input is read: no faster than what it asks for can be answered, and not so fast that all else has to wait. */
import type { Readable } from 'node:stream';

export interface ReadRate {
  /** Lines that have come. */
  readonly lines: number;
  /** A line has come. */
  countLine(): void;
  /** A chunk has been read: after many lines everybody else has a turn. */
  yieldIfBusy(): void;
  /** So many characters wait to be written. */
  outputQueued(size: number): void;
  /** Nothing waits to be written any more. */
  outputDrained(): void;
  /** The input was paused: by whom else, it flows on. */
  onPause(): void;
}

/** After so many lines everything else in this process has its turn: a flood of them must not hold it up. */
const linesPerTurn = 10_000;

export function createReadRate(input: Readable, holdBackAt: number): ReadRate {
  const holders = new Set<'reader' | 'writer'>();
  let lines = 0;
  let restAt = linesPerTurn;

  function hold(who: 'reader' | 'writer'): void {
    if (holders.has(who)) return;
    holders.add(who);
    input.pause();
  }
  function release(who: 'reader' | 'writer'): void {
    if (holders.delete(who) && holders.size === 0) input.resume();
  }
  function goOn(): void {
    restAt = lines + linesPerTurn;
    release('reader');
  }

  return {
    get lines() {
      return lines;
    },
    countLine() {
      lines++;
    },
    yieldIfBusy() {
      if (lines < restAt || holders.has('reader')) return;
      hold('reader');
      setImmediate(goOn);
    },
    outputQueued(size) {
      if (size > holdBackAt) hold('writer');
    },
    outputDrained: () => release('writer'),
    onPause() {
      // Not in this turn: whoever pauses it again and again would get no further.
      if (holders.size === 0) setImmediate(() => holders.size === 0 && input.resume());
    },
  };
}
