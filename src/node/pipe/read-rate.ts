/** Limits how fast an input is read: it pauses while too much output is queued, and yields to the event loop after many lines. */
import type { Readable } from 'node:stream';

export interface ReadRate {
  /** Lines that have arrived. */
  readonly lines: number;
  /** Counts a line. */
  countLine(): void;
  /** Called after each chunk: pauses for a turn of the event loop after many lines. */
  yieldIfBusy(): void;
  /** Called with the number of characters that are queued for writing. */
  outputQueued(size: number): void;
  /** The output queue is empty. */
  outputDrained(): void;
  /** The input was paused: resumes it, unless it was paused here. */
  onPause(): void;
}

/** After this many lines the reader yields to the event loop, so that a flood does not block the process. */
const linesPerTurn = 10_000;

export function createReadRate(input: Readable, holdBackAt: number): ReadRate {
  const holders = new Set<'reader' | 'writer'>();
  let lines = 0;
  let restAt = linesPerTurn;

  function hold(holder: 'reader' | 'writer'): void {
    if (holders.has(holder)) return;
    holders.add(holder);
    input.pause();
  }
  function release(holder: 'reader' | 'writer'): void {
    if (holders.delete(holder) && holders.size === 0) input.resume();
  }
  function resumeReading(): void {
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
      setImmediate(resumeReading);
    },
    outputQueued(size) {
      if (size > holdBackAt) hold('writer');
    },
    outputDrained: () => release('writer'),
    onPause() {
      // In the next turn of the event loop: code that pauses it again and again would block the process.
      if (holders.size === 0) setImmediate(() => holders.size === 0 && input.resume());
    },
  };
}
